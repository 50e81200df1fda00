import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { envelopeOf, itemsOf, reporter, told } from './sdk.testing.ts';

// How bodies are read (contract/monitoring.md §10, §12), and what is left of those that are refused.

const { envelope, store, events, errors } = await reporter();
const ID = 'fc6d8c0c43fc4630ad850ee518f1b9d0';
const MEBIBYTE = 2 ** 20;
const INVALID_ENVELOPE = [400, 'invalid event envelope'];
const INVALID_EVENT = [400, 'invalid event payload'];
const TOO_LARGE = [413, 'envelope exceeded size limits'];

let count = 0;
/** An id that no event has had yet. */
const newId = () => (++count).toString(16).padStart(32, '0');
const eventWith = (more: object = {}) => ({ event_id: newId(), message: 'm', ...more });
const encoded = (encoding: string) => ({ headers: { 'Content-Encoding': encoding } });
const ENCODERS: Readonly<Record<string, (bytes: string) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: deflateSync,
  Deflate: deflateRawSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  identity: (bytes) => Buffer.from(bytes),
};

test('an envelope and an event are decoded, large or small', async () => {
  for (const [encoding, encode] of Object.entries(ENCODERS)) {
    for (const size of [10, 200_000]) {
      const event = eventWith({ extra: Array.from({ length: size / 10 }, (_, at) => String(at).padStart(7)) });
      const { status, body } = await envelope(encode(envelopeOf(event)), encoded(encoding));
      assert.deepEqual([status, body], [200, { id: event.event_id }], `${encoding} ${size}`);
    }
    const event = eventWith();
    assert.deepEqual((await store(encode(JSON.stringify(event)), encoded(encoding))).body, { id: event.event_id });
  }
});

test('an encoding that nobody knows is refused, and what is not encoded so is invalid', async () => {
  for (const encoding of ['zstd', 'gzip, br', 'x', 'base64']) {
    assert.deepEqual(told(await envelope('{}', encoded(encoding))), [415, 'unsupported content encoding'], encoding);
  }
  const whole = gzipSync(envelopeOf(eventWith()));
  for (const encoding of ['gzip', 'deflate', 'br']) {
    for (const bytes of [Buffer.from('{}\n'), Buffer.alloc(0), whole.subarray(0, -9), Buffer.alloc(100_000, 0x78)]) {
      assert.deepEqual(told(await envelope(bytes, encoded(encoding))), INVALID_ENVELOPE, `${encoding} ${bytes.length}`);
      assert.deepEqual(told(await store(bytes, encoded(encoding))), INVALID_EVENT, `${encoding} ${bytes.length}`);
    }
  }
});

test('an event alone may be zlib data in Base64', async () => {
  const event = eventWith({ message: 'é'.repeat(1000) });
  const base64 = deflateSync(JSON.stringify(event)).toString('base64');
  const type = { headers: { 'Content-Type': 'application/octet-stream' } };
  assert.deepEqual((await store(base64, type)).body, { id: event.event_id });
  const other = eventWith();
  const wrapped = deflateSync(JSON.stringify(other)).toString('base64').replace(/.{20}/g, '$&\n');
  assert.deepEqual((await store(gzipSync(wrapped), encoded('gzip'))).body, { id: other.event_id });
  const third = eventWith();
  assert.deepEqual((await store(` \n${JSON.stringify(third)}\n`)).body, { id: third.event_id });
  const odd = [
    '',
    'x',
    '[]',
    'null',
    '"a"',
    Buffer.from('{}').toString('base64'),
    deflateSync('[1]').toString('base64'),
  ];
  for (const body of [...odd, '{"a":', '{}x', `\ufeff{}`])
    assert.deepEqual(told(await store(body)), INVALID_EVENT, body);
});

test('the type of a body says nothing about how it is read', async () => {
  for (const type of [
    'application/json',
    'text/plain;charset=UTF-8',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
  ]) {
    const headers = { 'Content-Type': type };
    assert.equal((await envelope(envelopeOf(eventWith()), { headers })).status, 200, type);
    assert.equal((await store(JSON.stringify(eventWith()), { headers })).status, 200, type);
  }
});

test('an answer has the id of the envelope, else of its event, else a new one, else none', async () => {
  const id = async (raw: string) => (await envelope(raw)).body.id;
  const dashed = 'FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0';
  assert.equal(await id(envelopeOf({ message: 'm' }).replace('{}', `{"event_id":"${dashed}"}`)), ID);
  const own = newId();
  assert.equal(await id(envelopeOf({ event_id: own, message: 'm' }).replace('{}', '{"event_id":"x"}')), own);
  assert.match(await id(envelopeOf({ message: 'm' })), /^[0-9a-f]{32}$/);
  assert.equal(await id(`{"event_id":"${ID}"}`), ID);
  assert.equal(await id(itemsOf(['transaction', {}]).replace('{}', `{"event_id":"${ID}"}`)), ID);
  for (const none of ['{}', '{}\n', itemsOf(['transaction', { event_id: ID }]), '{"event_id":5}']) {
    assert.deepEqual((await envelope(none)).body, {}, none);
  }
});

test('what is no error is taken and dropped', async () => {
  const types = `transaction attachment user_report feedback client_report check_in profile profile_chunk replay_event
    replay_recording span log otel_log statsd metric_buckets raw_security anything`;
  const before = (await events()).length;
  for (const type of types.split(/\s+/)) {
    assert.equal((await envelope(itemsOf([type, { message: 'm' }]))).status, 200, type);
    assert.equal((await envelope(`{}\n{"type":"${type}"}\nnonsense\u0000\n`)).status, 200, type);
  }
  assert.equal((await envelope(envelopeOf(eventWith({ type: 'transaction' })))).status, 200);
  assert.equal((await store(JSON.stringify(eventWith({ type: 'transaction' })))).status, 200);
  assert.equal((await envelope('{}\n{"type":"session"}\nnonsense\n{"type":"sessions"}\n[]')).status, 200);
  assert.equal((await events()).length, before);
});

test('a binary attachment before an event is passed by its bytes', async () => {
  const event = eventWith();
  const binary = Buffer.from([0, 10, 255, 10, 123, 34]);
  const raw = Buffer.concat([
    Buffer.from('{}\n{"type":"attachment","length":6}\n'),
    binary,
    Buffer.from(`\n${envelopeOf(event).slice(3)}`),
  ]);
  assert.deepEqual((await envelope(raw)).body, { id: event.event_id });
});

test('several events of an envelope are each stored, once for each id', async () => {
  const before = (await events()).length;
  const [first, second] = [eventWith(), eventWith()];
  const raw = envelopeOf(first, second, { message: 'm' }, second).replace('{}', `{"event_id":"${newId()}"}`);
  assert.equal((await envelope(raw)).status, 200);
  assert.equal((await events()).length, before + 3);
});

test('a broken envelope or event leaves nothing', async () => {
  const [before, known] = [(await events()).length, (await errors()).length];
  const good = envelopeOf(eventWith({ message: 'never stored' }));
  for (const wrong of [
    'nonsense\n',
    '{}\n',
    '{"type":5}\n',
    '{"type":"log","length":9}\nx\n',
    '{"type":"log","length":1}\nxx\n',
  ]) {
    assert.deepEqual(told(await envelope(good + wrong)), INVALID_ENVELOPE, wrong);
  }
  const latin = Buffer.from(`${good}{"type":"event"}\n{"message":"\xff"}`, 'latin1');
  for (const wrong of [
    '',
    '[]',
    '"a"',
    '5',
    'null',
    'nonsense',
    '{"a":1}x',
    `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
  ]) {
    assert.deepEqual(told(await envelope(`${good}{"type":"event"}\n${wrong}\n`)), INVALID_EVENT, wrong);
  }
  assert.deepEqual(told(await envelope(latin)), INVALID_EVENT);
  assert.deepEqual([(await events()).length, (await errors()).length], [before, known]);
});

test('an event has a mebibyte, an envelope fifty decoded and twenty as it is sent', async () => {
  const eventOf = (size: number) => {
    const empty = JSON.stringify(eventWith({ message: '' })).length;
    return JSON.stringify(eventWith({ message: 'x'.repeat(size - empty) }));
  };
  const [largest, larger] = [eventOf(MEBIBYTE), eventOf(MEBIBYTE + 1)];
  assert.equal((await store(largest)).status, 200);
  assert.deepEqual(told(await store(larger)), TOO_LARGE);
  assert.deepEqual(told(await store(deflateSync(larger).toString('base64'))), TOO_LARGE);
  assert.equal((await envelope(`{}\n{"type":"event"}\n${eventOf(MEBIBYTE)}`)).status, 200);
  assert.deepEqual(told(await envelope(`{}\n{"type":"event"}\n${larger}`)), TOO_LARGE);
  const item = (size: number) => Buffer.concat([Buffer.from('{}\n{"type":"attachment"}\n'), Buffer.alloc(size)]);
  assert.deepEqual(told(await envelope(item(20 * MEBIBYTE))), TOO_LARGE);
  assert.equal((await envelope(item(20 * MEBIBYTE - 100))).status, 200);
  assert.equal((await envelope(gzipSync(item(50 * MEBIBYTE - 100), { level: 1 }), encoded('gzip'))).status, 200);
  assert.deepEqual(told(await envelope(gzipSync(item(50 * MEBIBYTE), { level: 1 }), encoded('gzip'))), TOO_LARGE);
});
