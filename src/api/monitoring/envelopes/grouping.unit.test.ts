import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvent } from './event-reader.ts';
import { groupOf } from './grouping.ts';

const group = (event: object) =>
  groupOf(readEvent(event as never, { receivedAt: '2026-02-13T10:28:16.000Z', address: '' }));

const frames = [{ function: 'index', module: 'polls.views' }];
const exception = { type: 'ZeroDivisionError', value: 'user 5', stacktrace: { frames } };
const event = { exception, platform: 'python' };

test('exceptions of one name, place and platform are alike, whatever they say', () => {
  assert.match(group(event), /^[0-9a-f]{40}$/);
  assert.equal(group({ ...event, exception: { ...exception, value: 'user 6' } }), group(event));
  for (const other of [
    { ...event, platform: 'node' },
    { ...event, transaction: 'GET /' },
    { ...event, exception: { ...exception, type: 'TypeError' } },
    { ...event, exception: undefined, message: 'user 5' },
  ]) {
    assert.notEqual(group(other), group(event), JSON.stringify(other));
  }
});

test('what an exception says counts where nothing says where it was', () => {
  const nowhere = (value: string) => group({ exception: { type: 'Error', value } });
  assert.notEqual(nowhere('a'), nowhere('b'));
  assert.equal(nowhere('a'), nowhere('a'));
});

test('messages of one template are alike', () => {
  const logged = (formatted: string, message = 'No user %s') => group({ logentry: { formatted, message } });
  assert.equal(logged('No user 5'), logged('No user 6'));
  assert.notEqual(logged('No user 5'), logged('No user 5', 'No %s %s'));
  assert.equal(group({ message: 'a' }), group({ message: { formatted: 'a' } }));
});

test('no fingerprint, an empty one and the default one are the same', () => {
  for (const fingerprint of [undefined, null, [], 'x', {}, ['{{ default }}'], ['{{default}}'], ['{{   default }}']]) {
    assert.equal(group({ ...event, fingerprint }), group(event), JSON.stringify(fingerprint));
  }
});

test('a fingerprint splits what is alike by default, and joins what is not', () => {
  assert.notEqual(group({ ...event, fingerprint: ['{{ default }}', 'x'] }), group(event));
  assert.equal(
    group({ ...event, fingerprint: ['x', '{{ default }}'] }),
    group({ ...event, fingerprint: ['x', '{{default}}'] }),
  );
  assert.equal(group({ ...event, fingerprint: ['x', 5] }), group({ message: 'm', fingerprint: ['x', '5'] }));
  assert.notEqual(group({ ...event, fingerprint: ['xy'] }), group({ ...event, fingerprint: ['x', 'y'] }));
});
