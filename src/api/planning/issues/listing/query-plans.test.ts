import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUES } from '#api/planning/issuables/index.ts';
import { explainPlan } from '#database/dialect.ts';
import type { Statement } from '#database/engines/engine.ts';
import { watchReads } from '#test/support/statement-watch.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { iterationConditions } from './list.ts';

// Filters of issues whose matches are first counted, with an index.

const here = await world();
const { database } = here.server.services;

for (const [filter, index] of [
  [{ issue_type: 'incident' }, /issues_by_other_type/],
  [{ issue_type: 'task' }, /issues_by_other_type/],
  [{ weight: 3 }, /issues_of_all_by_weight/],
  [{ weight: 'Any' }, /issues_of_all_by_weight/],
  [{ due_date: 'overdue' }, /issues_of_all_by_due_date/],
  [{ due_date: 'week' }, /issues_of_all_by_due_date/],
  [{ due_date: 'any' }, /issues_of_all_by_due_date/],
  [{ confidential: true }, /issues_confidential/],
] as const) {
  test(`counts the matches of ${JSON.stringify(filter)} with an index`, async () => {
    const statements: Statement[] = [];
    const end = watchReads(database, (statement) => void statements.push(statement));
    await expectSuccess(here.root.get('/issues', { scope: 'all', ...filter })).finally(end);
    const count = statements.find(({ sql: text }) => text.includes('candidate.id from'));
    assert.ok(count);
    const plan = await database.transaction((tx) => explainPlan(tx, { compile: () => count }));
    assert.match(plan.join('\n'), index);
  });
}

test('reads the newest issues of any iteration in their order, without a sort', async () => {
  const plan = await database.transaction((tx) => {
    const [condition] = iterationConditions(tx, { tables: ISSUES, project: null }, { iteration_id: 'Any' });
    const query = tx.selectFrom('issues').select('id').where(condition!.predicate);
    return explainPlan(tx, query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(20));
  });
  // PostgreSQL estimates the number of rows, and may sort the few of an empty table.
  if (database.engine === 'sqlite') assert.match(plan.join('\n'), /issues_of_all_by_created_at/);
});
