import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFailure } from '#runtime/failure.ts';
import { envelopeReader, LARGEST_PAYLOAD } from './envelope-reader.ts';

const WANTED = new Set(['event', 'session']);

/** Header and wanted items of an envelope that comes in pieces of this size, or what is wrong with it. */
function read(envelope: string | Buffer, size = Number.POSITIVE_INFINITY): unknown {
  const bytes = Buffer.from(envelope);
  const reader = envelopeReader(WANTED);
  for (let at = 0; at < bytes.length; at += size) {
    const wrong = reader.push(bytes.subarray(at, at + size));
    if (isFailure(wrong)) return wrong.code;
  }
  const wrong = reader.end();
  if (isFailure(wrong)) return wrong.code;
  return [reader.header, ...reader.items.map(({ type, payload }) => [type, payload.toString()])];
}

const event = '{"message":"é\\n"}';
const length = Buffer.byteLength(event);
const items = [{}, ['event', event]];

test('an envelope is read alike in whatever pieces it comes', () => {
  const envelope = Buffer.from(
    `{"event_id":"a"}\n{"type":"attachment","length":5}\na\n\u0000\nb\n\n{"type":"event","length":${length}}\n${event}\n\n{"type":"session"}\n{"sid":1}`,
  );
  const expected = [{ event_id: 'a' }, ['event', event], ['session', '{"sid":1}']];
  for (let size = 1; size <= envelope.length; size++) assert.deepEqual(read(envelope, size), expected, String(size));
});

test('a length is one of bytes, and may be left out', () => {
  assert.deepEqual(read(`{}\n{"type":"event","length":${length}}\n${event}`), items);
  assert.deepEqual(read(`{}\n{"type":"event","length":${length}}\n${event}\n`), items);
  assert.deepEqual(read(`{}\n{"type":"event"}\n${event}\n`), items);
  assert.deepEqual(read(`{}\n{"type":"event","length":null}\n${event}`), items);
  assert.deepEqual(read('{}\n{"type":"event","length":3}\na\nb\n'), [{}, ['event', 'a\nb']]);
  assert.deepEqual(read('{}\n{"type":"event","length":0}\n\n{"type":"event"}\n'), [{}, ['event', ''], ['event', '']]);
});

test('no items, blank lines and ends of lines of two bytes are nothing wrong', () => {
  for (const envelope of ['{}', '{}\n', '{}\n\n\n', '{}\r\n \n\t\r\n', '{}\n{"type":"log"}', '{}\n{"type":"log"}\nx']) {
    assert.deepEqual(read(envelope), [{}], JSON.stringify(envelope));
  }
  assert.deepEqual(read(`{}\r\n\n{"type":"event"}\r\n${event}\n\n`), items);
});

test('what is no envelope is invalid', () => {
  const wrong = ['', '\n{}', 'x', '[]', 'null', '"a"', '{"a":', '{}\nx', '{}\n[]', '{}\n{}', '{}\n{"type":1}'];
  const lengths = ['-1', '1.5', '"3"', 'true', '1e400', '99999999999999999999'];
  const withLength = lengths.map((each) => `{}\n{"type":"event","length":${each}}\n${event}`);
  const tooFew = `{}\n{"type":"event","length":${length + 1}}\n${event}`;
  const noNewline = `{}\n{"type":"log","length":${length - 1}}\n${event}`;
  for (const envelope of [...wrong, ...withLength, tooFew, noNewline, `${tooFew.slice(0, -5)}\n`]) {
    assert.equal(read(envelope), 'invalidEnvelope', JSON.stringify(envelope));
    assert.equal(read(envelope, 1), 'invalidEnvelope', JSON.stringify(envelope));
  }
});

test('a line that is not UTF-8 is invalid, a payload that nobody reads may be anything', () => {
  assert.equal(read(Buffer.from('{"a":"\xff"}', 'latin1')), 'invalidEnvelope');
  assert.equal(read(Buffer.from('{}\n{"type":"log","a":"\xff"}\nx', 'latin1')), 'invalidEnvelope');
  assert.deepEqual(read(Buffer.from('{}\n{"type":"log"}\n\xff\x00\r\n', 'latin1')), [{}]);
});

test('what is read has a limit, and what is dropped has none', () => {
  const payload = (size: number) => 'x'.repeat(size);
  const wholly = read(`{}\n{"type":"event"}\n${payload(LARGEST_PAYLOAD)}\n`) as [unknown, [string, string]];
  assert.equal(wholly[1][1].length, LARGEST_PAYLOAD);
  assert.equal(read(`{}\n{"type":"event"}\n${payload(LARGEST_PAYLOAD + 1)}\n`, 65_536), 'tooLarge');
  assert.equal(read(`{}\n{"type":"event","length":1048577}\n${payload(LARGEST_PAYLOAD + 1)}\n`, 65_536), 'tooLarge');
  assert.deepEqual(read(`{}\n{"type":"profile"}\n${payload(3 * LARGEST_PAYLOAD)}\n`, 65_536), [{}]);
  assert.equal(read(`{"a":"${payload(20_000)}"}`), 'tooLarge');
  assert.equal(read(`{}\n${'{"type":"log"}\n\n'.repeat(1001)}`), 'tooLarge');
  assert.equal(read('{}\n{"type":"event","length":9999999999}\nx'), 'invalidEnvelope');
});
