import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventIdOf, isTransaction, readEvent, userKey } from './event-reader.ts';
import { withoutNuls } from './texts.ts';

const RECEIVED = '2026-02-13T10:28:16.000Z';
const read = (event: object) => readEvent(event as never, { receivedAt: RECEIVED, address: '192.0.2.7' });

const frames = [
  { function: 'main', module: 'app' },
  { function: 'index', module: 'polls.views', filename: 'polls/views.py' },
];
const broken = { type: 'ZeroDivisionError', value: 'division by zero', stacktrace: { frames } };

test('an exception may come in a list, in its values, or alone', () => {
  for (const exception of [[broken], { values: [broken] }, broken, { values: [null, broken] }]) {
    const { type, name, message, culprit } = read({ exception });
    const expected = ['error', 'ZeroDivisionError', 'division by zero', 'index(polls.views)'];
    assert.deepEqual([type, name, message, culprit], expected, JSON.stringify(exception));
  }
});

test('of several exceptions the first one with a stack counts, else the first one', () => {
  const bare = { type: 'First', stacktrace: { frames: [] } };
  assert.equal(read({ exception: [bare, broken, { ...broken, type: 'Last' }] }).name, 'ZeroDivisionError');
  assert.equal(read({ exception: [bare, { type: 'Second', stacktrace: null }] }).name, 'First');
});

test('an exception without type, value or place has a name all the same', () => {
  const { name, message, culprit, platform, level } = read({ exception: { values: [{ value: '' }] } });
  assert.deepEqual([name, message, culprit, platform, level], ['Error', null, null, 'other', 'error']);
});

test('what is no exception leaves a message', () => {
  for (const exception of [null, [], { values: null }, { values: [] }, { values: 'x' }, 'x', 1, [null], ['x']]) {
    assert.equal(read({ exception, message: 'm' }).type, 'default', JSON.stringify(exception));
  }
});

test('a message is formatted, or is its template, and may be an object', () => {
  const said = (event: object) => {
    const { name, message, template } = read(event);
    return [name, message, template];
  };
  const logentry = { formatted: 'No user 5\nat all', message: 'No user %s' };
  assert.deepEqual(said({ logentry, message: 'm' }), ['No user 5', 'No user 5\nat all', 'No user %s']);
  assert.deepEqual(said({ logentry: { message: 't' }, message: 'm' }), ['t', 't', 't']);
  assert.deepEqual(said({ message: { formatted: 'a b', message: 'a %s' } }), ['a b', 'a b', 'a %s']);
  assert.deepEqual(said({ message: { message: 'a' } }), ['a', 'a', 'a']);
  assert.deepEqual(said({ message: '\n\n first\r\nsecond' }), [
    'first',
    '\n\n first\r\nsecond',
    '\n\n first\r\nsecond',
  ]);
  assert.deepEqual(said({ message: ['a', 1] }), ['["a",1]', '["a",1]', '["a",1]']);
  assert.deepEqual(said({ message: { a: 1 } }), ['{"a":1}', '{"a":1}', '{"a":1}']);
  for (const none of [{}, { message: null }, { message: '' }, { logentry: 'x' }]) {
    assert.deepEqual(said(none), ['<unlabeled event>', null, '']);
  }
});

test('the culprit is the transaction, else the last call by module or file', () => {
  const culprit = (last: unknown, transaction?: unknown) =>
    read({ transaction, exception: { ...broken, stacktrace: { frames: [...frames, last] } } }).culprit;
  assert.equal(culprit(frames[1], 'GET /polls'), 'GET /polls');
  assert.equal(culprit(frames[1], ' '), 'index(polls.views)');
  assert.equal(culprit({ function: 'f', filename: 'a.js' }), 'f(a.js)');
  assert.equal(culprit({ module: 'm' }), '(m)');
  assert.equal(culprit({}), null);
  assert.equal(culprit(null), 'index(polls.views)');
  assert.equal(read({ transaction: 'GET /', message: 'm' }).culprit, 'GET /');
});

test('texts are cut and never refused, and no character is cut in two', () => {
  const long = 'é💥'.repeat(2000);
  const event = read({
    exception: { type: long, value: long },
    transaction: long,
    platform: long,
    level: long,
    environment: long,
    release: long,
  });
  const lengths = [event.name, event.culprit, event.platform, event.environment, event.release, event.message];
  assert.deepEqual(
    lengths.map((text) => [...(text ?? '')].length),
    [255, 255, 255, 255, 255, 1024],
  );
  assert.ok(lengths.every((text) => text?.isWellFormed()));
  assert.equal(event.level, 'error');
});

test('numbers and booleans become texts, objects their JSON where they say what went wrong, and nothing elsewhere', () => {
  const odd = { a: ['b', null, { c: true }] };
  const event = read({ exception: { type: 42, value: odd }, platform: odd, release: 7, environment: [odd], user: odd });
  assert.deepEqual([event.name, event.message], ['42', JSON.stringify(odd)]);
  assert.deepEqual([event.platform, event.release, event.environment, event.user], ['other', '7', null, null]);
  assert.equal(read({ exception: { type: [true], value: false } }).name, '[true]');
  assert.equal(read({ message: 12 }).message, '12');
  const endless = read({ message: Array.from({ length: 100_000 }, () => ({})) }).message;
  assert.equal(endless, `[${'{},'.repeat(341)}`);
});

test('NUL characters and halves of characters are not kept', () => {
  const event = read({ message: 'a\0b\ud800', release: '\0', user: { id: '\0' }, tags: { '\0a': 'b\0' } });
  assert.deepEqual([event.message, event.release, event.user, event.tags], ['ab\ufffd', null, null, { a: 'b' }]);
  const without = (json: string) => withoutNuls(Buffer.from(json)).toString();
  assert.equal(without('{"a":"\\u0000b\\\\u0000\\\\\\u0000c"}'), '{"a":"b\\\\u0000\\\\c"}');
  assert.equal(without('{"a":"\\\\u0000"}'), '{"a":"\\\\u0000"}');
});

test('a level is one of five, and nothing else', () => {
  for (const level of ['fatal', 'error', 'warning', 'info', 'debug']) assert.equal(read({ level }).level, level);
  for (const level of ['log', 'WARNING', 3, null, {}]) assert.equal(read({ level }).level, 'error');
});

test('a moment is Unix seconds or ISO 8601, and else that of the receipt', () => {
  const at = (timestamp: unknown) => read({ timestamp }).occurredAt;
  const moment = '2026-02-13T10:20:00.123Z';
  for (const same of [
    1770978000.123,
    '1770978000.1234',
    moment,
    '2026-02-13 10:20:00.123456',
    '2026-02-13T11:20:00.123+01:00',
  ]) {
    assert.equal(at(same), moment, String(same));
  }
  assert.equal(at('2026-02-13T10:29:16Z'), '2026-02-13T10:29:16.000Z');
  assert.equal(at(0), '1970-01-01T00:00:00.000Z');
  const unreadable = ['2026-02-13T10:29:16.001Z', 1770978000123, 1e300, -1e300, 'yesterday', '', null, {}, true, [1]];
  for (const odd of unreadable) assert.equal(at(odd), RECEIVED, String(odd));
});

test('a user is known by the first of four keys', () => {
  const key = (user: unknown) => userKey(read({ user }).user);
  assert.equal(key({ id: 42, email: 'e' }), '42');
  assert.equal(key({ id: '', email: 'e' }), 'e');
  assert.equal(key({ username: 'u', ip_address: '::1' }), 'u');
  assert.equal(key({ ip_address: '{{auto}}' }), '192.0.2.7');
  for (const nobody of [null, {}, [], 'x', { id: {}, name: 'x' }]) assert.equal(key(nobody), null);
  const user = { id: '42', email: null, username: 'u', ip_address: null };
  assert.deepEqual(read({ user: { id: 42, username: 'u', extra: 1 } }).user, user);
});

test('tags are an object or a list of pairs', () => {
  assert.deepEqual(read({ tags: { a: 'b', c: 1, d: null, e: {}, f: false } }).tags, { a: 'b', c: '1', f: 'false' });
  assert.deepEqual(read({ tags: [['a', 'b'], ['c'], null, [null, 'd'], 'xy', ['e', 5]] }).tags, { a: 'b', e: '5' });
  for (const none of [null, 'x', 1, [], undefined]) assert.deepEqual(read({ tags: none }).tags, {});
});

test('an id is 32 hex digits in any spelling', () => {
  const id = 'fc6d8c0c43fc4630ad850ee518f1b9d0';
  assert.equal(eventIdOf('FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0'), id);
  assert.equal(eventIdOf(id), id);
  for (const odd of [null, 5, '', id.slice(1), `${id}0`, 'g'.repeat(32), [id]]) assert.equal(eventIdOf(odd), null);
});

test('a transaction is no error', () => {
  assert.equal(isTransaction({ type: 'transaction' }), true);
  assert.equal(isTransaction({ type: 'error' }), false);
});
