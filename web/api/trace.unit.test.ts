import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTraceReader, MAX_ADDED_BYTES, MAX_TRACE_BYTES, TAIL_BYTES } from './trace.ts';

/** Returns a reader of a log that grows, and the ranges that it has asked for. */
function readerOf(initial: string) {
  let log = new TextEncoder().encode(initial);
  const ranges: string[] = [];
  const reader = createTraceReader(async (range) => {
    ranges.push(range);
    const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
    const start = first === '' ? Math.max(0, log.length - Number(last)) : Number(first);
    assert.ok(first === '' || start < log.length, `the server refuses ${range}`);
    return { start, bytes: log.slice(start, first === '' || last === '' ? undefined : Number(last) + 1) };
  });
  const add = (text: string | Uint8Array) => {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    log = new Uint8Array([...log, ...bytes]);
  };
  return { ...reader, add, ranges };
}

test('a short log is read at once', async () => {
  const { readEnd, readBeginning, ranges } = readerOf('one\ntwo\n');
  assert.deepEqual(await readEnd(), { text: 'one\ntwo\n', missingBytes: 0 });
  assert.deepEqual(await readBeginning(), { text: '', missingBytes: 0 });
  assert.deepEqual(ranges, [`bytes=-${TAIL_BYTES}`]);
});

test('the end of a long log comes first, from a whole line on', async () => {
  const line = `${'ü'.repeat(49)}\n`;
  const log = line.repeat(4000);
  const { readEnd, readBeginning, ranges } = readerOf(log);
  const end = await readEnd();
  assert.ok(end.text.startsWith('ü') && end.text.length % line.length === 0);
  const beginning = await readBeginning();
  assert.equal(beginning.missingBytes, 0);
  assert.equal(beginning.text + end.text, log);
  assert.equal(ranges[1], `bytes=0-${end.missingBytes - 1}`);
});

test('of a log without an end only the last part is read, from a whole line on', async () => {
  const line = `${'ü'.repeat(4999)}\n`;
  const { readEnd, readBeginning, ranges } = readerOf(line.repeat(2000));
  const end = await readEnd();
  const beginning = await readBeginning();
  const lineCount = (beginning.text + end.text).length / line.length;
  assert.equal(lineCount, Math.floor(MAX_TRACE_BYTES / Buffer.byteLength(line)));
  assert.equal(beginning.missingBytes, (2000 - lineCount) * Buffer.byteLength(line));
  assert.equal(ranges.length, 2);
});

test('only what was added is read, also characters that come in parts', async () => {
  const tail = `bytes=-${TAIL_BYTES}`;
  const { readEnd, readMore, add, ranges } = readerOf('');
  assert.equal((await readEnd()).text, '');
  assert.equal(await readMore(), '');
  add('one\n');
  assert.equal(await readMore(), 'one\n');
  add(new Uint8Array([0xc3]));
  assert.equal(await readMore(), '');
  add(new Uint8Array([0xbc, 10]));
  assert.equal(await readMore(), 'ü\n');
  assert.equal(await readMore(), '');
  const added = [4, 5, 7].map((end) => `bytes=${end - 1}-${end + MAX_ADDED_BYTES - 1}`);
  assert.deepEqual(ranges, [tail, tail, tail, ...added]);
});

test('much that was added is read in parts', async () => {
  const { readEnd, readMore, add } = readerOf('one\n');
  await readEnd();
  add('x'.repeat(MAX_ADDED_BYTES + 3));
  assert.equal((await readMore()).length, MAX_ADDED_BYTES);
  assert.equal(await readMore(), 'xxx');
});
