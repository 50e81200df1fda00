import type { JsonObject } from '#text/json-object.ts';

/** Selects the stack frame that is shown as the location of an error (contract/monitoring.md §12 "culprit"). Pure. */

/**
 * Returns the last frame of the application, or else the last frame of all. Frames of an SDK are never selected: they are the
 * last ones of every panic, whatever caused it. Returns null if no frame remains.
 */
export function selectCulpritFrame(frames: readonly JsonObject[]): JsonObject | null {
  const isOfApplication = (frame: JsonObject) => frame.in_app === true && !isRuntimeFrame(frame) && !isSdkFrame(frame);
  return frames.findLast(isOfApplication) ?? frames.findLast((frame) => !isSdkFrame(frame)) ?? null;
}

/** Starts of the module and function names of SDKs. */
const SDK_NAMES: readonly string[] = [
  '@sentry',
  'Elixir.Sentry.',
  'Raven_',
  'Sentry.',
  'Sentry\\',
  'com.getsentry.raven.',
  'github.com/getsentry/',
  'io.sentry.',
  'raven.base.',
  'raven.contrib.',
  'raven.handlers.',
  'raven.lib:',
  'raven.utils.',
  'sentry_sdk.',
];
/** Names of the crates of the SDK for Rust, also in the form of a trait's implementation (`<sentry_panic::... as ...>`). */
const SDK_CRATE =
  /^<?sentry(?:_(?:actix|anyhow|backtrace|contexts|core|debug_images|failure|log|opentelemetry|panic|slog|tower|tracing|types))?::/;
/** Parts of the paths of SDKs' source files. */
const SDK_PATHS: readonly string[] = [
  '/gems/sentry-',
  '/node_modules/@sentry/',
  '/node_modules/@sentry-internal/',
  '/node_modules/raven/',
  '/node_modules/raven-js/',
  '/sentry_sdk/',
  '/vendor/sentry/',
  'package:sentry/',
  'package:sentry_',
];

function isSdkFrame(frame: JsonObject): boolean {
  // An SDK's main module may be named by its prefix without the separator.
  const names = [...getTexts(frame.module).map((module) => `${module}.`), ...getTexts(frame.function)];
  const hasSdkName = names.some((name) => SDK_CRATE.test(name) || SDK_NAMES.some((prefix) => name.startsWith(prefix)));
  return hasSdkName || getPaths(frame).some((path) => SDK_PATHS.some((part) => path.includes(part)));
}

/** Rust's standard library, some frames of which the SDK reports as the application's: crates and parts of paths. */
const RUNTIME_CRATES: readonly unknown[] = ['__rustc', 'alloc', 'core', 'std'];
const RUNTIME_PATHS: readonly string[] = ['/rustc/', '/rustlib/src/rust/library/'];
const RUNTIME_FUNCTION = /^(?:__rust|rust_begin_unwind$|<?(?:alloc|core|std)::)/;

function isRuntimeFrame(frame: JsonObject): boolean {
  return (
    RUNTIME_CRATES.includes(frame.package) ||
    getTexts(frame.function).some((name) => RUNTIME_FUNCTION.test(name)) ||
    getPaths(frame).some((path) => RUNTIME_PATHS.some((part) => path.includes(part)))
  );
}

const getTexts = (...values: readonly unknown[]) => values.filter((value) => typeof value === 'string');
const getPaths = ({ abs_path, filename }: JsonObject) =>
  getTexts(abs_path, filename).map((path) => `/${path.replaceAll('\\', '/')}`);
