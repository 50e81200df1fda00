import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { defineJob } from './job.ts';
import { createJobQueue } from './queue.ts';
import { enqueueDueSchedules, getNextRunTime, listStoredSchedules } from './schedules.ts';

test('computes times in UTC', () => {
  const table: [cron: string, after: string, next: string][] = [
    ['0 3 * * *', '2026-01-02T03:04:05.000Z', '2026-01-03T03:00:00.000Z'],
    ['*/5 * * * *', '2026-01-02T03:04:05.000Z', '2026-01-02T03:05:00.000Z'],
    ['*/5 * * * *', '2026-01-02T03:05:00.000Z', '2026-01-02T03:10:00.000Z'],
    ['30 2 29 2 *', '2026-01-02T03:04:05.000Z', '2028-02-29T02:30:00.000Z'],
  ];
  for (const [cron, after, next] of table) assert.equal(getNextRunTime(cron, after), next, `${cron} after ${after}`);
});

test('rejects a schedule that never occurs', () => {
  assert.throws(() => getNextRunTime('0 0 30 2 *', '2026-01-02T03:04:05.000Z'), /has no next run time/);
});

async function setting() {
  const clock = testClock('2026-01-02T03:04:05.000Z');
  const database = await testDatabase({ clock });
  const runs: string[] = [];
  const tick = defineJob({
    kind: 'tick',
    async handle() {
      runs.push(clock.now().toISOString());
    },
  });
  const schedules = (cron: string) => [{ name: 'tick', cron, job: tick }];
  const queueWith = (cron: string) =>
    createJobQueue({ database, clock, services: null, jobs: [tick], schedules: schedules(cron) });
  return { clock, database, runs, schedules, queueWith, [Symbol.asyncDispose]: () => database.close() };
}

test('runs a recurring job at its time, and once after several missed times', async () => {
  await using s = await setting();
  const queue = s.queueWith('*/5 * * * *');
  assert.equal(await queue.runDue(), 0);
  s.clock.advance(55);
  assert.equal(await queue.runDue(), 1);
  assert.equal(await queue.runDue(), 0);
  s.clock.advance(3600);
  assert.equal(await queue.runDue(), 1);
  assert.deepEqual(s.runs, ['2026-01-02T03:05:00.000Z', '2026-01-02T04:05:00.000Z']);
});

test('two processes run a recurring job once', async () => {
  await using s = await setting();
  const queues = [s.queueWith('*/5 * * * *'), s.queueWith('*/5 * * * *')];
  for (const queue of queues) await queue.runDue();
  s.clock.advance(60);
  await Promise.all(queues.map((queue) => queue.runDue()));
  assert.equal(s.runs.length, 1);
});

test('adds no job for a schedule that another process has already advanced', async () => {
  await using s = await setting();
  const queue = s.queueWith('*/5 * * * *');
  await queue.runDue();
  s.clock.advance(60);
  assert.equal(await queue.runDue(), 1);
  await enqueueDueSchedules(s.database, s.schedules('*/5 * * * *'));
  assert.equal(await queue.runDue(), 0);
});

test('keeps the next time across a restart, and recomputes it for a changed expression', async () => {
  await using s = await setting();
  await s.queueWith('0 3 * * *').runDue();
  s.clock.advance(60);
  await s.queueWith('0 3 * * *').runDue();
  assert.deepEqual(await listStoredSchedules(s.database.reader), [
    { name: 'tick', next_run_at: '2026-01-03T03:00:00.000Z' },
  ]);
  await s.queueWith('0 4 * * *').runDue();
  assert.deepEqual(await listStoredSchedules(s.database.reader), [
    { name: 'tick', next_run_at: '2026-01-02T04:00:00.000Z' },
  ]);
});
