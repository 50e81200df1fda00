import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEvent } from './event-reader.ts';
import { computeGroupHash } from './report.ts';

const groupHashOf = (event: object) =>
  computeGroupHash(parseEvent(event as never, { receivedAt: '2026-02-13T10:28:16.000Z', address: '' }));

const frames = [{ function: 'index', module: 'polls.views' }];
const exception = { type: 'ZeroDivisionError', value: 'user 5', stacktrace: { frames } };
const event = { exception, platform: 'python' };

test('groups exceptions by name, culprit and platform, but not by message', () => {
  assert.match(groupHashOf(event), /^[0-9a-f]{40}$/);
  assert.equal(groupHashOf({ ...event, exception: { ...exception, value: 'user 6' } }), groupHashOf(event));
  for (const other of [
    { ...event, platform: 'node' },
    { ...event, transaction: 'GET /' },
    { ...event, exception: { ...exception, type: 'TypeError' } },
    { ...event, exception: undefined, message: 'user 5' },
  ]) {
    assert.notEqual(groupHashOf(other), groupHashOf(event), JSON.stringify(other));
  }
});

test('groups exceptions without a culprit by message', () => {
  const withoutCulprit = (value: string) => groupHashOf({ exception: { type: 'Error', value } });
  assert.notEqual(withoutCulprit('a'), withoutCulprit('b'));
  assert.equal(withoutCulprit('a'), withoutCulprit('a'));
});

test('groups exceptions by their last frame that is not of an SDK, and by message if only those are known', () => {
  const sdkFrame = { function: 'sentry_panic::panic_handler', in_app: true };
  const panic = (value: string, ...calls: readonly object[]) =>
    groupHashOf({ exception: { type: 'panic', value, stacktrace: { frames: [...calls, sdkFrame] } } });
  const pay = { function: 'shop::pay', in_app: true };
  assert.equal(panic('declined', pay), panic('expired', pay));
  assert.notEqual(panic('declined', pay), panic('declined', { function: 'shop::ship', in_app: true }));
  assert.notEqual(panic('declined'), panic('expired'));
});

test('groups exceptions of a script by its path, whatever its host and query', () => {
  const inScript = (filename: string) =>
    groupHashOf({
      exception: { type: 'Error', stacktrace: { frames: [{ function: 'pay', filename, in_app: true }] } },
    });
  for (const filename of ['http://localhost:8080/js/app.js', 'https://eu.shop.example/js/app.js?v=2#top'])
    assert.equal(inScript(filename), inScript('https://shop.example/js/app.js'), filename);
  for (const filename of ['https://shop.example/js/cart.js', '/js/app.js.map', 'https://shop.example'])
    assert.notEqual(inScript(filename), inScript('https://shop.example/js/app.js'), filename);
});

test('groups messages by template', () => {
  const logged = (formatted: string, message = 'No user %s') => groupHashOf({ logentry: { formatted, message } });
  assert.equal(logged('No user 5'), logged('No user 6'));
  assert.notEqual(logged('No user 5'), logged('No user 5', 'No %s %s'));
  assert.equal(groupHashOf({ message: 'a' }), groupHashOf({ message: { formatted: 'a' } }));
  const withParams = (params: unknown) => groupHashOf({ logentry: { message: 'No user %s', params } });
  assert.equal(withParams(['bob']), withParams(['eve']));
  assert.equal(withParams(['bob']), logged('No user 5'));
});

test('groups messages that carry a stack by their text', () => {
  const withStack = (text: string) =>
    groupHashOf({ message: text, exception: { value: text, stacktrace: { frames }, mechanism: { synthetic: true } } });
  assert.notEqual(withStack('disk full'), withStack('disk empty'));
  assert.equal(withStack('disk full'), groupHashOf({ message: 'disk full' }));
});

test('uses the default grouping for a missing, empty, invalid or default fingerprint', () => {
  for (const fingerprint of [undefined, null, [], 'x', {}, ['{{ default }}'], ['{{default}}'], ['{{   default }}']]) {
    assert.equal(groupHashOf({ ...event, fingerprint }), groupHashOf(event), JSON.stringify(fingerprint));
  }
});

test('groups by the fingerprint of the SDK', () => {
  assert.notEqual(groupHashOf({ ...event, fingerprint: ['{{ default }}', 'x'] }), groupHashOf(event));
  assert.equal(
    groupHashOf({ ...event, fingerprint: ['x', '{{ default }}'] }),
    groupHashOf({ ...event, fingerprint: ['x', '{{default}}'] }),
  );
  assert.equal(
    groupHashOf({ ...event, fingerprint: ['x', 5] }),
    groupHashOf({ message: 'm', fingerprint: ['x', '5'] }),
  );
  assert.notEqual(groupHashOf({ ...event, fingerprint: ['xy'] }), groupHashOf({ ...event, fingerprint: ['x', 'y'] }));
});
