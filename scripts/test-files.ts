// Runs test files one after another in one process, for `npm test`. Hearth's modules are loaded once for many files, because
// loading them is most of the cost of a small file. Test support (test/, *.testing.ts) is loaded again for each file, so that
// each file has its own state, as in its own process.
import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { type ResolveHookContext, registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { after, beforeEach, suite, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { claimFile } from './test-claims.ts';

const root = join(import.meta.dirname, '..');
/** The claims directory that the processes of one run share; without it, all files run here. */
const claimsDirectory = process.env.HEARTH_TEST_CLAIMS;
const maxFiles = Number(process.env.HEARTH_TEST_FILES_TOGETHER ?? Number.POSITIVE_INFINITY);
const rootUrl = pathToFileURL(join(root, '/')).href;
const sourceUrl = `${rootUrl}src/`;
const testUrl = `${rootUrl}test/`;
/** What imports of test/ and web/ begin with, as in package.json; all others that begin with `#` are below src/. */
const rootImport = /^#(?=(?:test|web)\/)/;
/** A module whose state is shared by all files. */
const sharedModuleUrl = `${testUrl}support/response-shapes.ts`;
let fileNumber = 0;
let runningTest = '';

disableAsyncTracking();
beforeEach((test) => {
  runningTest = (test as TestContext).fullName;
});

registerHooks({
  resolve(specifier, context, next) {
    const url = resolveSource(specifier, context.parentURL);
    if (url !== null) {
      const copy = isTestSupport(url) ? `${url}?file=${fileNumber}` : url;
      return { url: copy, format: 'module-typescript', shortCircuit: true };
    }
    if (isFileOfPackage(specifier, context))
      return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
    return next(specifier, context);
  },
  load(url, context, next) {
    const end = url.indexOf('?file=');
    if (end === -1) return next(url, context);
    return { format: 'module', source: readTestSupport(url.slice(0, end)), shortCircuit: true };
  },
});

/** Returns the URL of a TypeScript module of this project, or null. Node's own resolution reads files and takes ten times longer. */
function resolveSource(specifier: string, parentUrl: string | undefined): string | null {
  if (!specifier.endsWith('.ts')) return null;
  if (rootImport.test(specifier)) return rootUrl + specifier.slice(1);
  if (specifier.startsWith('#')) return sourceUrl + specifier.slice(1);
  if (specifier.startsWith(rootUrl)) return specifier;
  if (!specifier.startsWith('.') || !parentUrl?.startsWith(rootUrl)) return null;
  return new URL(specifier, parentUrl).href;
}

/** Returns whether an ES module of a package imports a file of the same package. */
function isFileOfPackage(specifier: string, { parentURL: parentUrl, conditions }: ResolveHookContext): boolean {
  const isRelative = specifier.startsWith('.') && /\.m?js$/.test(specifier);
  return isRelative && conditions.includes('import') && parentUrl?.includes('/node_modules/') === true;
}

function isTestSupport(url: string): boolean {
  return (url.startsWith(testUrl) && url !== sharedModuleUrl) || url.endsWith('.testing.ts');
}

const testSupport = new Map<string, string>();

/** Returns the JavaScript of a module that many files load again, which is read and stripped of types once. */
function readTestSupport(url: string): string {
  let source = testSupport.get(url);
  if (source === undefined) {
    source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
    testSupport.set(url, source);
  }
  return source;
}

for (const file of process.argv.slice(2)) {
  if (fileNumber === maxFiles) break;
  if (claimsDirectory !== undefined && !claimFile(claimsDirectory, file)) continue;
  fileNumber++;
  await runFile(file);
}

/**
 * Disables the async tracking of node:test, which attributes unhandled errors to the test that created the promise or socket and
 * takes a sixth of the time. Here an unhandled error ends the process and prints the error and the running test.
 */
function disableAsyncTracking(): void {
  const hooks = Object.getPrototypeOf(createHook({})) as { enable(): unknown };
  const { enable } = hooks;
  hooks.enable = function enableNothing() {
    return this;
  };
  // The first suite starts the runner.
  suite('nothing', { skip: true });
  hooks.enable = enable;
  const exitWithError = (error: unknown) => {
    console.error(`Unhandled error during ${runningTest}:`, error);
    process.exit(1);
  };
  process.prependListener('uncaughtException', exitWithError);
  process.prependListener('unhandledRejection', exitWithError);
}

/** Ends with the file's last test and hook: the next file starts in an idle process. */
function runFile(file: string): Promise<void> {
  return new Promise((resolve) => {
    suite(relative(root, file), async () => {
      try {
        await import(pathToFileURL(file).href);
        after(() => resolve());
      } catch (error) {
        resolve();
        throw error;
      }
    });
  });
}
