import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#database/database.ts';
import { createJobQueue } from '#jobs/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { BATCH_SIZE, deleteOldActivityJob, deleteOldActivitySchedule, getActivityRetentionLimit } from './store.ts';

test('the retention limit is three years and a day ago', () => {
  const horizons: [now: string, horizon: string][] = [
    ['2026-03-05T09:14:02.118Z', '2023-03-04T09:14:02.118Z'],
    ['2026-01-01T00:00:00.000Z', '2022-12-31T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2025-02-27T12:00:00.000Z'],
    ['2027-03-01T12:00:00.000Z', '2024-02-29T12:00:00.000Z'],
  ];
  for (const [now, horizon] of horizons) assert.equal(getActivityRetentionLimit(now), horizon);
});

test('the daily job deletes older events in batches', async () => {
  const clock = testClock('2026-03-05T03:00:00.000Z');
  await using database = await testDatabase({ clock });
  await insertAt(database, '2023-03-04T03:20:00.000Z', BATCH_SIZE + 1);
  await insertAt(database, '2023-03-04T03:20:00.001Z', 2);
  const queue = retentionQueue(database, clock);
  assert.equal(await queue.runDue(), 0);
  clock.advance(20 * 60);
  assert.equal(await queue.runDue(), 2);
  const left = await database.reader.selectFrom('activity_events').select('created_at').execute();
  assert.deepEqual(left, [{ created_at: '2023-03-04T03:20:00.001Z' }, { created_at: '2023-03-04T03:20:00.001Z' }]);
});

function retentionQueue(database: Database, clock: Clock) {
  return createJobQueue({
    database,
    clock,
    services: { database },
    jobs: [deleteOldActivityJob],
    schedules: [deleteOldActivitySchedule],
  });
}

async function insertAt(database: Database, created_at: string, count: number): Promise<void> {
  const row = { project_id: 34, author_id: 7, action: 'joined', action_name: 'joined', created_at } as const;
  await database.transaction(async (tx) => {
    for (let left = count; left > 0; left -= 1000) {
      const rows = Array.from({ length: Math.min(left, 1000) }, () => row);
      await tx.insertInto('activity_events').values(rows).execute();
    }
  });
}
