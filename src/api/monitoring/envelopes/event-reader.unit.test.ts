import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getUserKey, isTransaction, parseEvent, parseEventId } from './event-reader.ts';
import { removeNulCharacters } from './texts.ts';

const RECEIVED_AT = '2026-02-13T10:28:16.000Z';
const parse = (event: object) => parseEvent(event as never, { receivedAt: RECEIVED_AT, address: '192.0.2.7' });

const frames = [
  { function: 'main', module: 'app' },
  { function: 'index', module: 'polls.views', filename: 'polls/views.py' },
];
const exceptionWithStack = { type: 'ZeroDivisionError', value: 'division by zero', stacktrace: { frames } };

test('accepts exceptions as an array, as `values` and as a single object', () => {
  for (const exception of [
    [exceptionWithStack],
    { values: [exceptionWithStack] },
    exceptionWithStack,
    { values: [null, exceptionWithStack] },
  ]) {
    const { type, name, message, culprit } = parse({ exception });
    const expected = ['error', 'ZeroDivisionError', 'division by zero', 'index(polls.views)'];
    assert.deepEqual([type, name, message, culprit], expected, JSON.stringify(exception));
  }
});

const exceptionCalled = (type: string, mechanism?: object) => ({
  type,
  mechanism,
  stacktrace: { frames: [{ function: `run${type}` }] },
});

test('is titled by the last exception if the SDK does not send how exceptions are related', () => {
  const [cause, thrown] = [exceptionCalled('Cause'), exceptionCalled('Thrown')];
  const { name, culprit } = parse({ exception: { values: [cause, thrown] } });
  assert.deepEqual([name, culprit], ['Thrown', 'runThrown()']);
  const mechanism = { type: 'generic', handled: true };
  assert.equal(parse({ exception: [cause, { ...thrown, mechanism }] }).name, 'Thrown');
  assert.equal(parse({ exception: [thrown, { type: 'Other', stacktrace: null }] }).name, 'Other');
});

test('uses the frames of another exception if the thrown one has none', () => {
  const { name, culprit } = parse({
    exception: [exceptionCalled('First'), exceptionCalled('Cause'), { type: 'Thrown', stacktrace: { frames: [] } }],
  });
  assert.deepEqual([name, culprit], ['Thrown', 'runCause()']);
});

test('is titled by the thrown exception, wherever its causes, members and suppressed exceptions are', () => {
  const thrown = exceptionCalled('Thrown', { type: 'generic', exception_id: 0 });
  const group = exceptionCalled('Thrown', { type: 'generic', exception_id: 0, is_exception_group: true });
  const part = (type: string, exception_id: number, parent_id: number, more: object = {}) =>
    exceptionCalled(type, { type: 'chained', exception_id, parent_id, ...more });
  const suppressed = exceptionCalled('Suppressed', { type: 'suppressed' });
  for (const exceptions of [
    [part('Cause', 1, 0), thrown],
    [part('Suppressed', 1, 0, { type: 'suppressed' }), thrown],
    [suppressed, exceptionCalled('Thrown')],
    [part('Deep', 3, 2), part('Nested', 2, 0, { is_exception_group: true }), part('Member', 1, 0), group],
    [exceptionCalled('Thrown', { is_exception_group: true }), exceptionCalled('Member', { type: 'chained' })],
    // Some SDKs leave out the id of the thrown exception, which is 0.
    [part('Cause', 1, 0), exceptionCalled('Thrown', { type: 'generic' })],
    [exceptionCalled('Thrown', { exception_id: 7, parent_id: null }), part('Cause', 8, 7)],
  ]) {
    for (const values of [exceptions, exceptions.toReversed()]) {
      assert.equal(parse({ exception: { values } }).name, 'Thrown', JSON.stringify(values));
    }
  }
});

test('is titled by the last exception if none is the thrown one', () => {
  const cycle = [
    exceptionCalled('A', { exception_id: 0, parent_id: 1 }),
    exceptionCalled('B', { exception_id: 1, parent_id: 0 }),
  ];
  assert.equal(parse({ exception: cycle }).name, 'B');
  assert.equal(parse({ exception: [exceptionCalled('A', { type: 'suppressed' })] }).name, 'A');
  for (const mechanism of ['x', null, [], { exception_id: '0', parent_id: {} }])
    assert.equal(parse({ exception: [exceptionCalled('A'), { type: 'B', mechanism }] }).name, 'B');
});

test('uses default values for an exception without type, value and frames', () => {
  const { name, message, culprit, platform, level } = parse({ exception: { values: [{ value: '' }] } });
  assert.deepEqual([name, message, culprit, platform, level], ['Error', null, null, 'other', 'error']);
});

test('treats an event without a valid exception as a message', () => {
  for (const exception of [null, [], { values: null }, { values: [] }, { values: 'x' }, 'x', 1, [null], ['x']]) {
    assert.equal(parse({ exception, message: 'm' }).type, 'default', JSON.stringify(exception));
  }
});

test('treats an exception without a type, or a synthetic one, as the stack of the message', () => {
  const stack = { value: 'disk full', stacktrace: { frames } };
  const typed = { ...stack, type: 'Error' };
  const synthetic = { synthetic: true };
  const describe = (event: object) => {
    const { type, name, message, culprit } = parse(event);
    return [type, name, message, culprit];
  };
  const asMessage = ['default', 'disk full', 'disk full', 'index(polls.views)'];
  for (const exception of [{ ...stack, mechanism: synthetic }, stack, { ...typed, mechanism: synthetic }]) {
    for (const text of [{ message: 'disk full' }, { logentry: { formatted: 'disk full' } }]) {
      assert.deepEqual(describe({ ...text, exception: { values: [exception] } }), asMessage, JSON.stringify(exception));
    }
  }
  const asError = ['error', 'Error', 'disk full', 'index(polls.views)'];
  assert.deepEqual(describe({ message: 'other', exception: { ...typed, mechanism: { synthetic: false } } }), asError);
  for (const message of [undefined, null, '', ' \n']) {
    assert.deepEqual(describe({ message, exception: { ...typed, mechanism: synthetic } }), asError);
    assert.deepEqual(describe({ message, exception: stack }), asError);
  }
});

test('takes the message from logentry or message, as a text or an object', () => {
  const texts = (event: object) => {
    const { name, message, template } = parse(event);
    return [name, message, template];
  };
  const logentry = { formatted: 'No user 5\nat all', message: 'No user %s' };
  assert.deepEqual(texts({ logentry, message: 'm' }), ['No user 5', 'No user 5\nat all', 'No user %s']);
  assert.deepEqual(texts({ logentry: { message: 't' }, message: 'm' }), ['t', 't', 't']);
  const withParams = { message: 'No user %s', params: [5] };
  assert.deepEqual(texts({ logentry: withParams, message: 'm' }), ['No user 5', 'No user 5', 'No user %s']);
  assert.deepEqual(texts({ message: withParams }), ['No user 5', 'No user 5', 'No user %s']);
  assert.deepEqual(texts({ logentry: { ...withParams, formatted: 'Nobody' } }), ['Nobody', 'Nobody', 'No user %s']);
  assert.deepEqual(texts({ message: { formatted: 'a b', message: 'a %s' } }), ['a b', 'a b', 'a %s']);
  assert.deepEqual(texts({ message: { message: 'a' } }), ['a', 'a', 'a']);
  assert.deepEqual(texts({ message: '\n\n first\r\nsecond' }), [
    'first',
    '\n\n first\r\nsecond',
    '\n\n first\r\nsecond',
  ]);
  assert.deepEqual(texts({ message: ['a', 1] }), ['["a",1]', '["a",1]', '["a",1]']);
  assert.deepEqual(texts({ message: { a: 1 } }), ['{"a":1}', '{"a":1}', '{"a":1}']);
  for (const none of [{}, { message: null }, { message: '' }, { logentry: 'x' }]) {
    assert.deepEqual(texts(none), ['<unlabeled event>', null, '']);
  }
});

test('uses the transaction as culprit, or else the last frame of the application', () => {
  const culprit = (last: unknown, transaction?: unknown) =>
    parse({ transaction, exception: { ...exceptionWithStack, stacktrace: { frames: [...frames, last] } } }).culprit;
  assert.equal(culprit(frames[1], 'GET /polls'), 'GET /polls');
  assert.equal(culprit(frames[1], ' '), 'index(polls.views)');
  assert.equal(culprit({ function: 'f', filename: 'a.js' }), 'f(a.js)');
  assert.equal(culprit({ module: 'm' }), '(m)');
  assert.equal(culprit({}), null);
  assert.equal(culprit(null), 'index(polls.views)');
  const library = { function: 'render', module: 'django.shortcuts', in_app: false };
  assert.equal(culprit(library), 'render(django.shortcuts)');
  const ownFrames = { frames: [{ ...frames[1], in_app: true }, library] };
  assert.equal(parse({ exception: { ...exceptionWithStack, stacktrace: ownFrames } }).culprit, 'index(polls.views)');
  assert.equal(parse({ transaction: 'GET /', message: 'm' }).culprit, 'GET /');
});

test('accepts the names that older SDKs use', () => {
  const event = {
    'sentry.interfaces.Exception': [{ type: 'KeyError', value: 'x', 'sentry.interfaces.Stacktrace': { frames } }],
    'sentry.interfaces.User': { id: 42 },
    'sentry.interfaces.Http': { url: 'https://shop.example/', env: { REMOTE_ADDR: '192.0.2.9' } },
  };
  const { type, name, message, culprit, user } = parse(event);
  assert.deepEqual([type, name, message, culprit], ['error', 'KeyError', 'x', 'index(polls.views)']);
  assert.deepEqual(user, { id: '42', email: null, username: null, ip_address: '192.0.2.9' });
  const logEntry = { message: 'user %s left', params: ['bob'], formatted: null };
  const older = parse({
    message: 'user %s left',
    'sentry.interfaces.Message': logEntry,
    'sentry.interfaces.Stacktrace': { frames },
  });
  assert.deepEqual([older.type, older.name, older.template], ['default', 'user bob left', 'user %s left']);
  assert.equal(older.culprit, 'index(polls.views)');
  const template = { filename: 'polls/index.html', lineno: 3 };
  assert.equal(
    parse({ exception: { type: 'A' }, 'sentry.interfaces.Template': template }).culprit,
    '(polls/index.html)',
  );
  assert.equal(parse({ message: 'm', culprit: 'main.main' }).culprit, 'main.main');
  const both = { ...event, exception: { type: 'TypeError' }, user: { id: 'new' } };
  assert.deepEqual([parse(both).name, parse(both).user?.id], ['TypeError', 'new']);
});

test('truncates long texts without splitting characters', () => {
  const long = 'é💥'.repeat(2000);
  const event = parse({
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

test('converts numbers and booleans to texts, and objects to JSON in names and messages only', () => {
  const object = { a: ['b', null, { c: true }] };
  const event = parse({
    exception: { type: 42, value: object },
    platform: object,
    release: 7,
    environment: [object],
    user: object,
  });
  assert.deepEqual([event.name, event.message], ['42', JSON.stringify(object)]);
  assert.deepEqual([event.platform, event.release, event.environment, event.user], ['other', '7', null, null]);
  assert.equal(parse({ exception: { type: [true], value: false } }).name, '[true]');
  assert.equal(parse({ message: 12 }).message, '12');
  const endless = parse({ message: Array.from({ length: 100_000 }, () => ({})) }).message;
  assert.equal(endless, `[${'{},'.repeat(341)}`);
});

test('removes NUL characters and replaces lone surrogates', () => {
  const event = parse({ message: 'a\0b\ud800', release: '\0', user: { id: '\0' }, tags: { '\0a': 'b\0' } });
  assert.deepEqual([event.message, event.release, event.user, event.tags], ['ab\ufffd', null, null, { a: 'b' }]);
  const without = (json: string) => removeNulCharacters(Buffer.from(json)).toString();
  assert.equal(without('{"a":"\\u0000b\\\\u0000\\\\\\u0000c"}'), '{"a":"b\\\\u0000\\\\c"}');
  assert.equal(without('{"a":"\\\\u0000"}'), '{"a":"\\\\u0000"}');
});

test('maps the names and numbers of levels, and unknown ones to error', () => {
  const names = {
    fatal: ['fatal', 'FATAL', 'Fatal', 'critical', 50, '50'],
    error: ['error', 'Error', 40, '40', undefined, null, '', 'loud', 3, 45, {}, ['info'], true, 'constructor'],
    warning: ['warning', 'WARNING', 'warn', 'Warn', 30, '30'],
    info: ['info', 'INFO', 'log', 'Log', 20, '20', ' info '],
    debug: ['debug', 'Debug', 10, '10'],
  };
  for (const [level, sent] of Object.entries(names))
    for (const value of sent) assert.equal(parse({ level: value }).level, level, JSON.stringify(value));
});

test('parses Unix seconds and ISO 8601, and uses the time of receipt for other timestamps', () => {
  const at = (timestamp: unknown) => parse({ timestamp }).occurredAt;
  const expected = '2026-02-13T10:20:00.123Z';
  for (const same of [
    1770978000.123,
    '1770978000.1234',
    expected,
    '2026-02-13 10:20:00.123456',
    '2026-02-13T11:20:00.123+01:00',
  ]) {
    assert.equal(at(same), expected, String(same));
  }
  assert.equal(at('2026-02-13T10:29:16Z'), '2026-02-13T10:29:16.000Z');
  assert.equal(at(0), '1970-01-01T00:00:00.000Z');
  const unreadable = ['2026-02-13T10:29:16.001Z', 1770978000123, 1e300, -1e300, 'yesterday', '', null, {}, true, [1]];
  for (const invalid of unreadable) assert.equal(at(invalid), RECEIVED_AT, String(invalid));
});

test('identifies a user by id, email, username or IP address, in this order', () => {
  const key = (user: unknown) => getUserKey(parse({ user }).user);
  assert.equal(key({ id: 42, email: 'e' }), '42');
  assert.equal(key({ id: '', email: 'e' }), 'e');
  assert.equal(key({ username: 'u', ip_address: '::1' }), 'u');
  assert.equal(key({ ip_address: '{{auto}}' }), '192.0.2.7');
  for (const nobody of [null, {}, [], 'x', { id: {}, name: 'x' }]) assert.equal(key(nobody), null);
  const user = { id: '42', email: null, username: 'u', ip_address: null };
  assert.deepEqual(parse({ user: { id: 42, username: 'u', extra: 1 } }).user, user);
});

test("uses the sender's address if the placeholder or the setting of the SDK asks for it", () => {
  const addressOf = (infer_ip: unknown, user?: unknown, more: object = {}) =>
    parse({ sdk: { name: 'sentry.javascript.browser', settings: { infer_ip } }, user, ...more }).user?.ip_address ??
    null;
  const auto = { ip_address: '{{auto}}' };
  for (const user of [undefined, null, {}, { id: '42' }, { ip_address: null }, auto])
    assert.equal(addressOf('auto', user), '192.0.2.7', JSON.stringify(user));
  assert.equal(addressOf('auto', { ip_address: '192.0.2.8' }), '192.0.2.8');
  for (const setting of ['legacy', null, undefined]) {
    assert.deepEqual(
      [addressOf(setting, auto), addressOf(setting, { id: '42' })],
      ['192.0.2.7', null],
      String(setting),
    );
  }
  const request = { env: { REMOTE_ADDR: '192.0.2.9' } };
  assert.deepEqual(
    [addressOf('auto', {}, { request }), addressOf(null, null, { request })],
    ['192.0.2.9', '192.0.2.9'],
  );
  for (const setting of ['never', 'other', true, {}]) {
    assert.equal(addressOf(setting, auto), null, String(setting));
    assert.equal(addressOf(setting, {}, { request }), null);
    assert.equal(addressOf(setting, { ip_address: '192.0.2.8' }), '192.0.2.8');
  }
  for (const sdk of [null, 'x', { settings: 'auto' }, { settings: { infer_ip: [] } }])
    assert.equal(parse({ sdk, user: { id: '1' } }).user?.ip_address, null);
});

test('accepts tags as an object or as a list of pairs', () => {
  assert.deepEqual(parse({ tags: { a: 'b', c: 1, d: null, e: {}, f: false } }).tags, { a: 'b', c: '1', f: 'false' });
  assert.deepEqual(parse({ tags: [['a', 'b'], ['c'], null, [null, 'd'], 'xy', ['e', 5]] }).tags, { a: 'b', e: '5' });
  for (const none of [null, 'x', 1, [], undefined]) assert.deepEqual(parse({ tags: none }).tags, {});
});

test('normalizes event ids to 32 lower-case hex digits', () => {
  const id = 'fc6d8c0c43fc4630ad850ee518f1b9d0';
  assert.equal(parseEventId('FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0'), id);
  assert.equal(parseEventId(id), id);
  for (const invalid of [null, 5, '', id.slice(1), `${id}0`, 'g'.repeat(32), [id]])
    assert.equal(parseEventId(invalid), null);
});

test('recognizes transactions by their type', () => {
  assert.equal(isTransaction({ type: 'transaction' }), true);
  assert.equal(isTransaction({ type: 'error' }), false);
});
