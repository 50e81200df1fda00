import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectCulpritFrame } from './stack-trace.ts';

type Frame = Readonly<Record<string, unknown>>;

const call = (name: string, more: Frame = {}) => ({ function: name, ...more });
const own = (name: string, more: Frame = {}) => call(name, { in_app: true, ...more });
const foreign = (name: string, more: Frame = {}) => call(name, { in_app: false, ...more });
const getName = (frames: readonly Frame[]) => selectCulpritFrame(frames)?.function;

test('selects the last frame of the application, or else the last one', () => {
  assert.equal(getName([own('main'), own('pay'), foreign('render')]), 'pay');
  assert.equal(getName([foreign('main'), foreign('render')]), 'render');
  assert.equal(getName([call('main'), call('work')]), 'work');
  assert.equal(getName([call('main', { in_app: 'yes' }), call('work')]), 'work');
  assert.equal(getName([]), undefined);
});

const STANDARD_LIBRARY = '/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library';

test('selects the function that panicked in a Rust program', () => {
  const panic = [
    own('shop::main', { abs_path: '/srv/shop/src/main.rs' }),
    own('shop::pay', { abs_path: '/srv/shop/src/main.rs' }),
    own('<usize as core::slice::index::SliceIndex<[T]>>::index', {
      abs_path: `${STANDARD_LIBRARY}/core/src/slice/index.rs`,
    }),
    own('<u8 as core::ops::arith::Add>::add', { package: 'core' }),
    foreign('core::panicking::panic_fmt'),
    own('__rustc::rust_begin_unwind'),
    own('rust_begin_unwind'),
    foreign('std::panicking::rust_panic_with_hook'),
    own('<sentry_panic::PanicIntegration as sentry_core::integration::Integration>::setup::{{closure}}'),
    own('sentry_panic::panic_handler'),
    foreign('sentry_backtrace::current_stacktrace'),
    foreign('sentry::capture_event'),
  ];
  assert.equal(getName(panic), 'shop::pay');
});

test('selects a function of a crate whose name only starts as those of the SDK do', () => {
  assert.equal(getName([own('sentry_duty::divide'), own('sentry_panic::panic_handler')]), 'sentry_duty::divide');
  assert.equal(getName([own('shop::main'), own('sentry_actix::run'), own('sentry::capture')]), 'shop::main');
});

test("selects an application's implementation of a trait of the standard library", () => {
  const implementation = own('<shop::Cart as core::ops::index::Index<usize>>::index', { package: 'shop' });
  assert.equal(selectCulpritFrame([own('shop::main'), implementation]), implementation);
});

test('never selects a frame of an SDK', () => {
  const sdkFrames = [
    call('a', { module: 'sentry_sdk' }),
    call('a', { module: 'sentry_sdk.integrations.logging' }),
    call('a', { module: 'raven.base' }),
    call('a', { module: '@sentry.node.build.cjs:exports' }),
    call('a', { module: 'raven.lib:client' }),
    call('a', { module: 'github.com/getsentry/sentry-go' }),
    call('a', { module: 'github.com/getsentry/raven-go.(*Client)' }),
    call('a', { module: 'io.sentry.Sentry' }),
    call('a', { module: 'Sentry.SentrySdk' }),
    call('Sentry\\State\\Hub::captureException'),
    call('sentry_core::hub::Hub::with_active'),
    call('a', { filename: 'node_modules/@sentry/core/build/index.js' }),
    call('a', { abs_path: 'C:\\shop\\node_modules\\@sentry-internal\\browser-utils\\index.js' }),
    call('a', { abs_path: '/usr/lib/ruby/gems/3.3.0/gems/sentry-ruby-5.28.0/lib/sentry/hub.rb' }),
    call('a', { abs_path: 'package:sentry/src/hub.dart' }),
  ];
  for (const sdkFrame of sdkFrames) {
    for (const in_app of [true, false, undefined]) {
      const label = JSON.stringify(sdkFrame);
      assert.equal(getName([foreign('main'), { ...sdkFrame, in_app }]), 'main', label);
      assert.equal(selectCulpritFrame([{ ...sdkFrame, in_app }]), null, label);
    }
  }
});

test('selects frames of an application whose names resemble those of SDKs', () => {
  for (const frame of [
    call('a', { module: 'sentry.views' }),
    call('a', { module: 'ravens.base' }),
    call('sentry'),
    call('a', { filename: 'src/sentry/index.js' }),
    call('Sentry', { module: 'guards' }),
  ]) {
    assert.equal(selectCulpritFrame([foreign('main'), frame]), frame, JSON.stringify(frame));
  }
});
