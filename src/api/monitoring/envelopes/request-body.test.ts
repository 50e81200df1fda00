import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { buildEnvelope, buildEventEnvelope, createReporter, getStatusAndDetail } from './sdk.testing.ts';

// Decoding and parsing of bodies; rejected bodies store nothing (contract/monitoring.md §10, §12).

const { sendEnvelope, sendEvent, listEvents, listErrors, anonymous, server, project, key } = await createReporter();
const ID = 'fc6d8c0c43fc4630ad850ee518f1b9d0';
const MEBIBYTE = 2 ** 20;
const INVALID_ENVELOPE = [400, 'invalid event envelope'];
const INVALID_EVENT = [400, 'invalid event payload'];
const TOO_LARGE = [413, 'envelope exceeded size limits'];

let count = 0;
/** Returns an unused event id. */
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

test('decodes small and large bodies in every supported encoding', async () => {
  for (const [encoding, encode] of Object.entries(ENCODERS)) {
    for (const size of [10, 200_000]) {
      const event = eventWith({ extra: Array.from({ length: size / 10 }, (_, at) => String(at).padStart(7)) });
      const { status, body } = await sendEnvelope(encode(buildEventEnvelope(event)), encoded(encoding));
      assert.deepEqual([status, body], [200, { id: event.event_id }], `${encoding} ${size}`);
    }
    const event = eventWith();
    assert.deepEqual((await sendEvent(encode(JSON.stringify(event)), encoded(encoding))).body, { id: event.event_id });
  }
});

test('returns 415 for an unknown encoding, and 400 for a body that cannot be decoded', async () => {
  for (const encoding of ['zstd', 'gzip, br', 'x', 'base64']) {
    const response = await sendEnvelope('{}', encoded(encoding));
    assert.deepEqual(getStatusAndDetail(response), [415, 'unsupported content encoding'], encoding);
  }
  const whole = gzipSync(buildEventEnvelope(eventWith()));
  for (const encoding of ['gzip', 'deflate', 'br']) {
    for (const bytes of [Buffer.from('{}\n'), Buffer.alloc(0), whole.subarray(0, -9), Buffer.alloc(100_000, 0x78)]) {
      const label = `${encoding} ${bytes.length}`;
      assert.deepEqual(getStatusAndDetail(await sendEnvelope(bytes, encoded(encoding))), INVALID_ENVELOPE, label);
      assert.deepEqual(getStatusAndDetail(await sendEvent(bytes, encoded(encoding))), INVALID_EVENT, label);
    }
  }
});

test('accepts a single event as JSON or as Base64-encoded zlib data', async () => {
  const event = eventWith({ message: 'é'.repeat(1000) });
  const base64 = deflateSync(JSON.stringify(event)).toString('base64');
  const type = { headers: { 'Content-Type': 'application/octet-stream' } };
  assert.deepEqual((await sendEvent(base64, type)).body, { id: event.event_id });
  const other = eventWith();
  const wrapped = deflateSync(JSON.stringify(other)).toString('base64').replace(/.{20}/g, '$&\n');
  assert.deepEqual((await sendEvent(gzipSync(wrapped), encoded('gzip'))).body, { id: other.event_id });
  const third = eventWith();
  assert.deepEqual((await sendEvent(` \n${JSON.stringify(third)}\n`)).body, { id: third.event_id });
  const invalid = [
    '',
    'x',
    '[]',
    'null',
    '"a"',
    Buffer.from('{}').toString('base64'),
    deflateSync('[1]').toString('base64'),
  ];
  for (const body of [...invalid, '{"a":', '{}x', `\ufeff{}`])
    assert.deepEqual(getStatusAndDetail(await sendEvent(body)), INVALID_EVENT, body);
});

test('ignores the content type of the body', async () => {
  for (const type of [
    'application/json',
    'text/plain;charset=UTF-8',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
  ]) {
    const headers = { 'Content-Type': type };
    assert.equal((await sendEnvelope(buildEventEnvelope(eventWith()), { headers })).status, 200, type);
    assert.equal((await sendEvent(JSON.stringify(eventWith()), { headers })).status, 200, type);
  }
});

test('returns the id of the envelope or of its event, a new id for an event without one, or no id', async () => {
  const id = async (raw: string) => (await sendEnvelope(raw)).body.id;
  const dashed = 'FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0';
  assert.equal(await id(buildEventEnvelope({ message: 'm' }).replace('{}', `{"event_id":"${dashed}"}`)), ID);
  const own = newId();
  assert.equal(await id(buildEventEnvelope({ event_id: own, message: 'm' }).replace('{}', '{"event_id":"x"}')), own);
  assert.match(await id(buildEventEnvelope({ message: 'm' })), /^[0-9a-f]{32}$/);
  assert.equal(await id(`{"event_id":"${ID}"}`), ID);
  assert.equal(await id(buildEnvelope(['transaction', {}]).replace('{}', `{"event_id":"${ID}"}`)), ID);
  for (const none of ['{}', '{}\n', buildEnvelope(['transaction', { event_id: ID }]), '{"event_id":5}']) {
    assert.deepEqual((await sendEnvelope(none)).body, {}, none);
  }
});

test('accepts and drops items that are neither errors nor valid sessions', async () => {
  const types = `transaction attachment user_report feedback client_report check_in profile profile_chunk replay_event
    replay_recording replay_video span log otel_log trace_metric statsd metric_buckets raw_security anything`;
  const before = (await listEvents()).length;
  for (const type of types.split(/\s+/)) {
    assert.equal((await sendEnvelope(buildEnvelope([type, { message: 'm' }]))).status, 200, type);
    assert.equal((await sendEnvelope(`{}\n{"type":"${type}"}\nnonsense\u0000\n`)).status, 200, type);
  }
  assert.equal((await sendEnvelope(buildEventEnvelope(eventWith({ type: 'transaction' })))).status, 200);
  assert.equal((await sendEvent(JSON.stringify(eventWith({ type: 'transaction' })))).status, 200);
  assert.equal((await sendEnvelope('{}\n{"type":"session"}\nnonsense\n{"type":"sessions"}\n[]')).status, 200);
  assert.equal((await listEvents()).length, before);
});

test('skips a binary attachment by its length', async () => {
  const event = eventWith();
  const binary = Buffer.from([0, 10, 255, 10, 123, 34]);
  const raw = Buffer.concat([
    Buffer.from('{}\n{"type":"attachment","length":6}\n'),
    binary,
    Buffer.from(`\n${buildEventEnvelope(event).slice(3)}`),
  ]);
  assert.deepEqual((await sendEnvelope(raw)).body, { id: event.event_id });
});

test('stores every event of an envelope, once per id', async () => {
  const before = (await listEvents()).length;
  const [first, second] = [eventWith(), eventWith()];
  const raw = buildEventEnvelope(first, second, { message: 'm' }, second).replace('{}', `{"event_id":"${newId()}"}`);
  assert.equal((await sendEnvelope(raw)).status, 200);
  assert.equal((await listEvents()).length, before + 3);
});

test('stores nothing of an envelope with an invalid part', async () => {
  const [eventsBefore, errorsBefore] = [(await listEvents()).length, (await listErrors()).length];
  const good = buildEventEnvelope(eventWith({ message: 'never stored' }));
  for (const wrong of [
    'nonsense\n',
    '{}\n',
    '{"type":5}\n',
    '{"type":"log","length":9}\nx\n',
    '{"type":"log","length":1}\nxx\n',
  ]) {
    assert.deepEqual(getStatusAndDetail(await sendEnvelope(good + wrong)), INVALID_ENVELOPE, wrong);
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
    const response = await sendEnvelope(`${good}{"type":"event"}\n${wrong}\n`);
    assert.deepEqual(getStatusAndDetail(response), INVALID_EVENT, wrong);
  }
  assert.deepEqual(getStatusAndDetail(await sendEnvelope(latin)), INVALID_EVENT);
  assert.deepEqual([(await listEvents()).length, (await listErrors()).length], [eventsBefore, errorsBefore]);
});

/** Returns the JSON of an event of this size in bytes. */
const eventOf = (size: number) => {
  const empty = JSON.stringify(eventWith({ message: '' })).length;
  return JSON.stringify(eventWith({ message: 'x'.repeat(size - empty) }));
};

test('limits single events to 1 MiB', async () => {
  const [largest, larger] = [eventOf(MEBIBYTE), eventOf(MEBIBYTE + 1)];
  assert.equal((await sendEvent(largest)).status, 200);
  assert.deepEqual(getStatusAndDetail(await sendEvent(larger)), TOO_LARGE);
  assert.deepEqual(getStatusAndDetail(await sendEvent(deflateSync(larger).toString('base64'))), TOO_LARGE);
  assert.equal((await sendEnvelope(`{}\n{"type":"event"}\n${eventOf(MEBIBYTE)}`)).status, 200);
});

test('drops items that are too large and counts them', async () => {
  const countDropped = async () => {
    const { text } = await anonymous.get('//-/metrics');
    return Number(/^hearth_dropped_report_items_total\{kind="error"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await countDropped();
  const event = eventWith();
  const larger = `{"type":"event"}\n${eventOf(MEBIBYTE + 1)}\n`;
  assert.equal((await sendEnvelope(`{}\n${larger}{"type":"event"}\n${JSON.stringify(event)}\n`)).status, 200);
  assert.ok((await listEvents()).some(({ event_id }) => event_id === event.event_id));
  assert.equal(await countDropped(), before + 1);
  const session = '{"type":"session"}\n{"sid":"a","attrs":{"release":"b"}}\n';
  assert.equal((await sendEnvelope(`{}\n${session}${larger}`)).status, 200);
  assert.deepEqual(getStatusAndDetail(await sendEnvelope(`{}\n${larger}`)), TOO_LARGE);
  assert.equal(await countDropped(), before + 3);
});

test('parses an envelope that arrives in small chunks without a declared length', async () => {
  const event = eventWith({ message: 'x'.repeat(200_000) });
  for (const [encoding, encode] of Object.entries(ENCODERS)) {
    const body = encode(buildEventEnvelope({ ...event, event_id: newId() }));
    const path = `/errortracking/api/v1/projects/api/${project.id}/envelope/?sentry_key=${key}`;
    const chunks = Array.from({ length: Math.ceil(body.length / 1000) }, (_, at) =>
      body.subarray(at * 1000).subarray(0, 1000),
    );
    const response = await fetch(server.address + path, {
      method: 'POST',
      headers: { 'Content-Encoding': encoding },
      body: ReadableStream.from([
        body.subarray(0, 1),
        body.subarray(1, 2),
        ...chunks.toSpliced(0, 1, body.subarray(2, 1000)),
      ]),
      duplex: 'half',
    } as RequestInit);
    assert.equal(response.status, 200, encoding);
    await response.text();
  }
});
