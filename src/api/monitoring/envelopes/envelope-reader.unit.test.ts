import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFailure } from '#runtime/failure.ts';
import { createEnvelopeReader, MAX_PAYLOAD_BYTES } from './envelope-reader.ts';

const ITEM_TYPES = new Set(['event', 'session']);

/** Parses an envelope in chunks of this size. Returns its header and items, or the code of the failure. */
function parseEnvelope(envelope: string | Buffer, size = Number.POSITIVE_INFINITY): unknown {
  const bytes = Buffer.from(envelope);
  const reader = createEnvelopeReader(ITEM_TYPES);
  for (let at = 0; at < bytes.length; at += size) {
    const failure = reader.push(bytes.subarray(at, at + size));
    if (isFailure(failure)) return failure.code;
  }
  const failure = reader.end();
  if (isFailure(failure)) return failure.code;
  return [reader.header, ...reader.items.map(({ type, payload }) => [type, payload.toString()])];
}

const event = '{"message":"é\\n"}';
const length = Buffer.byteLength(event);
const items = [{}, ['event', event]];

test('parses an envelope independently of the chunk size', () => {
  const envelope = Buffer.from(
    `{"event_id":"a"}\n{"type":"attachment","length":5}\na\n\u0000\nb\n\n{"type":"event","length":${length}}\n${event}\n\n{"type":"session"}\n{"sid":1}`,
  );
  const expected = [{ event_id: 'a' }, ['event', event], ['session', '{"sid":1}']];
  for (let size = 1; size <= envelope.length; size++)
    assert.deepEqual(parseEnvelope(envelope, size), expected, String(size));
});

test('counts `length` in bytes, and accepts items without it', () => {
  assert.deepEqual(parseEnvelope(`{}\n{"type":"event","length":${length}}\n${event}`), items);
  assert.deepEqual(parseEnvelope(`{}\n{"type":"event","length":${length}}\n${event}\n`), items);
  assert.deepEqual(parseEnvelope(`{}\n{"type":"event"}\n${event}\n`), items);
  assert.deepEqual(parseEnvelope(`{}\n{"type":"event","length":null}\n${event}`), items);
  assert.deepEqual(parseEnvelope('{}\n{"type":"event","length":3}\na\nb\n'), [{}, ['event', 'a\nb']]);
  assert.deepEqual(parseEnvelope('{}\n{"type":"event","length":0}\n\n{"type":"event"}\n'), [
    {},
    ['event', ''],
    ['event', ''],
  ]);
});

test('accepts envelopes without items, with blank lines and with CRLF line breaks', () => {
  for (const envelope of ['{}', '{}\n', '{}\n\n\n', '{}\r\n \n\t\r\n', '{}\n{"type":"log"}', '{}\n{"type":"log"}\nx']) {
    assert.deepEqual(parseEnvelope(envelope), [{}], JSON.stringify(envelope));
  }
  assert.deepEqual(parseEnvelope(`{}\r\n\n{"type":"event"}\r\n${event}\n\n`), items);
});

test('rejects invalid headers, item headers and lengths', () => {
  const wrong = ['', '\n{}', 'x', '[]', 'null', '"a"', '{"a":', '{}\nx', '{}\n[]', '{}\n{}', '{}\n{"type":1}'];
  const lengths = ['-1', '1.5', '"3"', 'true', '1e400', '99999999999999999999'];
  const withLength = lengths.map((value) => `{}\n{"type":"event","length":${value}}\n${event}`);
  const tooFew = `{}\n{"type":"event","length":${length + 1}}\n${event}`;
  const noNewline = `{}\n{"type":"log","length":${length - 1}}\n${event}`;
  for (const envelope of [...wrong, ...withLength, tooFew, noNewline, `${tooFew.slice(0, -5)}\n`]) {
    assert.equal(parseEnvelope(envelope), 'invalidEnvelope', JSON.stringify(envelope));
    assert.equal(parseEnvelope(envelope, 1), 'invalidEnvelope', JSON.stringify(envelope));
  }
});

test('rejects header lines that are not UTF-8, and accepts any bytes in skipped payloads', () => {
  assert.equal(parseEnvelope(Buffer.from('{"a":"\xff"}', 'latin1')), 'invalidEnvelope');
  assert.equal(parseEnvelope(Buffer.from('{}\n{"type":"log","a":"\xff"}\nx', 'latin1')), 'invalidEnvelope');
  assert.deepEqual(parseEnvelope(Buffer.from('{}\n{"type":"log"}\n\xff\x00\r\n', 'latin1')), [{}]);
});

const payload = (size: number) => 'x'.repeat(size);

test('drops items that are too large, and keeps the others', () => {
  const largest = parseEnvelope(`{}\n{"type":"event"}\n${payload(MAX_PAYLOAD_BYTES)}\n`) as [unknown, [string, string]];
  assert.equal(largest[1][1].length, MAX_PAYLOAD_BYTES);
  const tooLarge = payload(MAX_PAYLOAD_BYTES + 1);
  for (const size of [1000, 65_536, undefined]) {
    for (const header of ['{"type":"event"}', `{"type":"session","length":${tooLarge.length}}`]) {
      const envelope = `{}\n{"type":"event"}\n${event}\n${header}\n${tooLarge}\n{"type":"session"}\n{}\n`;
      assert.deepEqual(parseEnvelope(envelope, size), [...items, ['session', '{}']], `${header} ${size}`);
    }
  }
  assert.deepEqual(parseEnvelope(`{}\n{"type":"profile"}\n${payload(3 * MAX_PAYLOAD_BYTES)}\n`, 65_536), [{}]);
});

test('counts dropped items, and keeps no bytes of them', () => {
  const reader = createEnvelopeReader(ITEM_TYPES);
  const tooLarge = `{"type":"event"}\n${payload(MAX_PAYLOAD_BYTES + 1)}\n`;
  assert.equal(reader.push(Buffer.from(`{}\n${tooLarge}${tooLarge}{"type":"event"}\n${event}\n`)), null);
  assert.deepEqual([reader.droppedCount, reader.payloadBytes, reader.items.length], [2, length, 1]);
});

test('limits header lines and the number of items', () => {
  assert.equal(parseEnvelope(`{"a":"${payload(20_000)}"}`), 'tooLarge');
  assert.equal(parseEnvelope(`{}\n${'{"type":"log"}\n\n'.repeat(1001)}`), 'tooLarge');
  assert.equal(parseEnvelope('{}\n{"type":"event","length":9999999999}\nx'), 'invalidEnvelope');
});
