import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** Measures in a separate heap, because garbage of other tests in this process would distort the result. */
const MEASURED = `
import { setFlagsFromString, getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
const { estimateHeapSize } = await import(workerData);

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const heap = () => (gc(), gc(), getHeapStatistics().used_heap_size);

// Creates new values, so that nothing is shared.
const text = (index, length) => Buffer.from((index + ' ').padEnd(length, 'x')).toString('latin1');
const row = (index) => ({ id: index, path: text(index, 20), name: text(index, 40), open: true, none: null });
const kinds = {
  rows: row,
  texts: (index) => text(index, 2_000),
  'wide texts': (index) => Buffer.from(index + '\\u4f60'.repeat(500)).toString('utf8'),
  lists: (index) => Array.from({ length: 20 }, (_, at) => row(index + at)),
};

function measure(make) {
  const kept = new Array(2_000).fill(null);
  const before = heap();
  for (let index = 0; index < kept.length; index++) kept[index] = make(index);
  const real = heap() - before;
  return { real, told: kept.reduce((sum, one) => sum + estimateHeapSize(one), 0) };
}

// The median of three: work of the runtime, such as compilation, distorts single measurements.
const middle = (make) => [measure(make), measure(make), measure(make)].sort((one, other) => one.real - other.real)[1];

measure(row);
parentPort.postMessage(Object.fromEntries(Object.entries(kinds).map(([kind, make]) => [kind, middle(make)])));
`;

test('estimates the heap size of rows, texts and lists approximately', async () => {
  const source = new URL(`data:text/javascript,${encodeURIComponent(MEASURED)}`);
  const worker = new Worker(source, { workerData: new URL('./heap-size.ts', import.meta.url).href });
  const measured = await new Promise<Record<string, { real: number; told: number }>>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  assert.deepEqual(Object.keys(measured), ['rows', 'texts', 'wide texts', 'lists']);
  for (const [kind, { real, told }] of Object.entries(measured)) {
    assert.ok(told > real * 0.6 && told < real * 1.7, `${kind}: told ${told}, really ${real}`);
  }
});
