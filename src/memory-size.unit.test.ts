import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bytesOf } from './memory-size.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Until nothing more goes: what files before have left behind takes several rounds. */
function collect(): void {
  for (let before = Number.POSITIVE_INFINITY, rounds = 0; rounds < 10; rounds++) {
    gc();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed > before - 4096) return;
    before = heapUsed;
  }
}

function heapOf(make: (index: number) => unknown, count: number): { real: number; told: number } {
  const kept: unknown[] = new Array(count).fill(null);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < count; index++) kept[index] = make(index);
  collect();
  const real = process.memoryUsage().heapUsed - before;
  return { real, told: kept.reduce((sum: number, one) => sum + bytesOf(one), 0) };
}

// Made anew, so that nothing is shared.
const text = (index: number, length: number) => Buffer.from(`${index} `.padEnd(length, 'x')).toString('latin1');
const row = (index: number) => ({ id: index, path: text(index, 20), name: text(index, 40), open: true, none: null });

test('what is told of rows, texts and lists is about what they hold of the heap', () => {
  const kinds: Record<string, (index: number) => unknown> = {
    rows: row,
    texts: (index) => text(index, 2_000),
    'wide texts': (index) => Buffer.from(`${index}${'\u4f60'.repeat(500)}`).toString('utf8'),
    lists: (index) => Array.from({ length: 20 }, (_, at) => row(index + at)),
  };
  for (const [kind, make] of Object.entries(kinds)) {
    const { real, told } = heapOf(make, 2_000);
    assert.ok(told > real * 0.6 && told < real * 1.7, `${kind}: told ${told}, really ${real}`);
  }
});
