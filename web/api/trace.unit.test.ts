import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTraceReader, TAIL_BYTES } from './trace.ts';

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
  const { open, readBeginning, ranges } = readerOf('one\ntwo\n');
  assert.deepEqual(await open(), { text: 'one\ntwo\n', missingBytes: 0 });
  assert.equal((await readBeginning()).text, 'one\ntwo\n');
  assert.deepEqual(ranges, [`bytes=-${TAIL_BYTES}`]);
});

test('the end of a long log comes first, from a whole line on', async () => {
  const line = `${'ü'.repeat(49)}\n`;
  const log = line.repeat(4000);
  const { open, readBeginning, ranges } = readerOf(log);
  const tail = await open();
  assert.ok(log.endsWith(tail.text) && tail.text.startsWith('ü') && tail.text.length % line.length === 0);
  assert.deepEqual(await readBeginning(), { text: log, missingBytes: 0 });
  assert.equal(ranges[1], `bytes=0-${tail.missingBytes - 1}`);
});

test('only what was added is read, also characters that come in parts', async () => {
  const tail = `bytes=-${TAIL_BYTES}`;
  const { open, readMore, add, ranges } = readerOf('');
  assert.equal((await open()).text, '');
  assert.equal((await readMore()).text, '');
  add('one\n');
  assert.equal((await readMore()).text, 'one\n');
  add(new Uint8Array([0xc3]));
  assert.equal((await readMore()).text, 'one\n');
  add(new Uint8Array([0xbc, 10]));
  assert.equal((await readMore()).text, 'one\nü\n');
  assert.equal((await readMore()).text, 'one\nü\n');
  assert.deepEqual(ranges, [tail, tail, tail, 'bytes=3-', 'bytes=4-', 'bytes=6-']);
});
