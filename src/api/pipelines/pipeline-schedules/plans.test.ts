import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../../../test/engines/engine.ts';
import { planOf } from '../../../database/dialect.ts';
import { dueSchedules } from './store.ts';

test('what is due is found by its moment, however many schedules wait', async () => {
  await using database = await testDatabase();
  const plan = await database.transaction((tx) => planOf(tx, dueSchedules(tx, '2026-01-02T03:04:05.000Z', 50)));
  assert.match(plan.join('\n'), /pipeline_schedules_due/);
  assert.doesNotMatch(plan.join('\n'), /SCAN|Seq Scan|TEMP B-TREE|Sort/);
});
