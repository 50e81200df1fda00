import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTimeTicks } from './axis.ts';
import { type Bar, placeLanes } from './lanes.ts';
import { layoutNeeds } from './needs-layout.ts';
import { chartPipelines, summarizeDurations } from './pipeline-lanes.ts';

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

test('ticks are at round local times, and midnight has the day', () => {
  const labels = (from: number, to: number, count: number) => listTimeTicks(from, to, count).map(({ label }) => label);
  assert.deepEqual(labels(at(3, 21, 10), at(4, 3, 20), 7), ['22:00', '23:00', 'Nov 4', '01:00', '02:00', '03:00']);
  assert.deepEqual(labels(at(3, 9, 7), at(3, 9, 12), 10), ['09:07', '09:08', '09:09', '09:10', '09:11', '09:12']);
  assert.deepEqual(labels(at(3, 12), at(6, 12), 4), ['Nov 4', 'Nov 5', 'Nov 6']);
});

test('the number of ticks fits the width, for minutes and for years', () => {
  for (const minutes of [1, 45, 700, 10_000, 500_000, 3_000_000]) {
    const ticks = listTimeTicks(at(1, 0), at(1, 0) + minutes * 60_000, 5);
    assert.ok(ticks.length <= 7, `${ticks.length} ticks for ${minutes} minutes`);
    assert.equal(new Set(ticks.map(({ time }) => time)).size, ticks.length);
  }
});

const bar = (from: number, to: number): Bar => ({
  ...{ from, to, label: `${from}`, state: '', tone: 'good', shape: 'check', href: `#${from}` },
});

test('bars at the same time are in rows below each other, and short ones can be seen', () => {
  const [lane] = placeLanes([{ name: 'main', bars: [bar(50, 90), bar(0, 60), bar(100, 100)] }], 0, 100, 200);
  assert.deepEqual(
    lane!.bars.map(({ x, width, row }) => [x, width, row]),
    [
      [0, 120, 0],
      [100, 80, 1],
      [194, 6, 0],
    ],
  );
  assert.equal(lane!.rowCount, 2);
});

test('a job is below all jobs that it needs, and jobs without needs wait for earlier stages', () => {
  const { rows, edges, maxDepth } = layoutNeeds([
    { id: 1, stage: 0, needs: null },
    { id: 2, stage: 0, needs: null },
    { id: 3, stage: 1, needs: [1, 99] },
    { id: 4, stage: 1, needs: [] },
    { id: 5, stage: 2, needs: null },
  ]);
  assert.deepEqual(
    rows.map(({ job, depth }) => [job.id, depth]),
    [
      [1, 0],
      [2, 0],
      [4, 0],
      [3, 1],
      [5, 2],
    ],
  );
  assert.deepEqual(edges, [{ from: 0, to: 3 }]);
  assert.equal(maxDepth, 2);
});

const pipeline = (id: number, ref: string, status: string, hour: number, minutes: number) => ({
  id,
  ref,
  status,
  created_at: new Date(at(3, hour)).toISOString(),
  updated_at: new Date(at(3, hour, minutes)).toISOString(),
  web_url: `/${id}`,
});

test('the chart of pipelines has a lane for each ref and says what it shows', () => {
  const list = [
    pipeline(3, 'fix', 'running', 11, 1),
    pipeline(2, 'main', 'success', 10, 2),
    pipeline(1, 'main', 'success', 9, 5),
  ];
  const { lanes, to, summary } = chartPipelines(list, at(3, 11, 30))!;
  assert.deepEqual(
    lanes.map(({ name, bars }) => [name, bars.length]),
    [
      ['fix', 1],
      ['main', 2],
    ],
  );
  assert.equal(to, at(3, 11, 30));
  assert.equal(summary, '3 pipelines of 2 refs from Nov 3, 2026, 09:00 to Nov 3, 2026, 11:30: 2 passed, 1 running.');
  assert.equal(chartPipelines([], 0), null);
});

test('refs over eight are named as missing', () => {
  const list = Array.from({ length: 10 }, (_, index) => pipeline(index, `ref-${index}`, 'failed', 9, 1));
  assert.match(chartPipelines(list, 0)!.summary, /^8 pipelines of 8 refs .* Without those of 2 other refs\.$/);
});

test('durations are those of pipelines that finished', () => {
  const list = [pipeline(1, 'a', 'success', 9, 3), pipeline(2, 'a', 'failed', 9, 1), pipeline(3, 'a', 'running', 9, 9)];
  const { seconds, summary } = summarizeDurations(list)!;
  assert.deepEqual(seconds, [180, 60]);
  assert.equal(summary, 'The last 2 that finished took 1 min to 3 min, in the median 3 min.');
  assert.equal(summarizeDurations(list.slice(1)), null);
});
