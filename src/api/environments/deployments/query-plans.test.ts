import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import type { DeploymentFilter } from './parameters.ts';
import { buildMergedByCommitsQuery } from './shipped-merge-requests.ts';
import { buildDeploymentQuery } from './store.ts';

const up = { sort: 'asc' } as const;
const down = { sort: 'desc' } as const;
const since = '2026-01-01T00:00:00.000Z';
const ALL = { projectId: 7, environmentId: null };
const ONE = { projectId: 7, environmentId: 12 };

const served: readonly [index: string, place: typeof ALL | typeof ONE, filter: DeploymentFilter][] = [
  ['deployments_by_project', ALL, { order_by: 'id', ...up }],
  ['deployments_by_project', ALL, { order_by: 'iid', ...down }],
  ['deployments_by_creation', ALL, { order_by: 'created_at', ...up }],
  ['deployments_by_update', ALL, { order_by: 'updated_at', ...down }],
  ['deployments_by_update', ALL, { order_by: 'updated_at', ...up, updated_after: since, updated_before: since }],
  ['deployments_by_end', ALL, { order_by: 'finished_at', ...up, status: 'failed' }],
  ['deployments_by_end', ALL, { order_by: 'finished_at', ...down, status: 'success', finished_after: since }],
  ['deployments_by_status', ALL, { order_by: 'id', ...down, status: 'running' }],
  ['deployments_by_environment', ONE, { order_by: 'id', ...up }],
  ['deployments_by_environment', ONE, { order_by: 'iid', ...down }],
  ['deployments_by_environment_creation', ONE, { order_by: 'created_at', ...down }],
  ['deployments_by_environment_update', ONE, { order_by: 'updated_at', ...up, updated_after: since }],
  ['deployments_finished', ONE, { order_by: 'finished_at', ...up, status: 'success' }],
  ['deployments_finished', ONE, { order_by: 'finished_at', ...down, status: 'success', finished_before: since }],
];

for (const [index, place, filter] of served) {
  const whose = place.environmentId === null ? 'a project' : 'an environment';
  test(`${index} serves the list of ${whose} with ${JSON.stringify(filter)}, already in its order`, async () => {
    await using database = await testDatabase();
    const plan = await database.transaction((tx) => explainPlan(tx, buildDeploymentQuery(tx, place, filter).limit(21)));
    assert.match(plan.join('\n'), new RegExp(`\\b(${index})\\b`));
    assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE|\bSort\b/);
  });
}

test('finds merge requests merged by any of many commits through indexes', async () => {
  await using database = await testDatabase();
  const plan = await database.transaction((tx) => explainPlan(tx, buildMergedByCommitsQuery(tx, 7, ['a'.repeat(40)])));
  for (const index of ['by_merge_commit', 'by_squash_commit', 'merged_by_head'])
    assert.match(plan.join('\n'), new RegExp(`\\bmerge_requests_${index}\\b`));
});
