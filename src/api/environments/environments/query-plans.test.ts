import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { selectLastSuccessfulDeployment } from '#domain/deployments.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { listStopActionJobs } from './access.ts';
import {
  buildEnvironmentsToDeleteQuery,
  buildEnvironmentsToStopQuery,
  buildOldReviewAppsQuery,
  buildStaleEnvironmentsQuery,
} from './cleanup.ts';
import { buildEnvironmentQuery, buildPrefixQuery } from './store.ts';

// PostgreSQL takes either of two indexes that begin alike while it knows of no rows.
const since = '2026-01-01T00:00:00.000Z';
const first = { id: 0, due: '', updated_at: '' };

type Ask = (db: Reader) => Parameters<typeof explainPlan>[1];

/** Which indexes serve a statement, and whether they give its rows in their order already. */
const served: readonly [what: string, ask: Ask, indexes: readonly string[], ordered: boolean][] = [
  ['a list', (db) => buildEnvironmentQuery(db, 7, {}).limit(21), ['environments_by_project'], true],
  [
    'a list by state',
    (db) => buildEnvironmentQuery(db, 7, { states: 'stopped' }).limit(21),
    ['environments_by_state'],
    true,
  ],
  [
    'a list by name',
    (db) => buildEnvironmentQuery(db, 7, { name: 'prod' }).limit(21),
    ['environments_by_name(_key)?'],
    false,
  ],
  [
    'a search',
    (db) => buildPrefixQuery(db, 7, 'rev', { states: 'stopped' }),
    ['environments_by_name_key', 'environments_by_rest_key'],
    false,
  ],
  [
    'stale ones',
    (db) => buildStaleEnvironmentsQuery(db, { projectId: 7, before: since }, first),
    ['environments_stale', 'deployments_(by_environment_update|finished)'],
    true,
  ],
  [
    'old review apps',
    (db) => buildOldReviewAppsQuery(db, 7, { before: since, limit: 100 }),
    ['environments_review_apps'],
    true,
  ],
  ['those due to stop', (db) => buildEnvironmentsToStopQuery(db, since, first), ['environments_by_auto_stop'], true],
  ['those due to go', (db) => buildEnvironmentsToDeleteQuery(db, since, first), ['environments_by_auto_delete'], true],
  [
    'what finished last',
    (db) => selectLastSuccessfulDeployment.query(db, { environment: 7 }),
    ['deployments_finished'],
    true,
  ],
  [
    'stop actions',
    (db) => listStopActionJobs.query(db, { environment: 7, pipeline: 9 }),
    ['jobs_with_environment', 'deployments_(by_job|finished)'],
    false,
  ],
];

for (const [what, ask, indexes, ordered] of served) {
  test(`${what} uses ${indexes.join(' and ')}`, async () => {
    await using database = await testDatabase();
    const plan = (await database.transaction((tx) => explainPlan(tx, ask(tx)))).join('\n');
    for (const index of indexes) assert.match(plan, new RegExp(`\\b${index}\\b`));
    assert.doesNotMatch(plan, /SCAN environments\b|Seq Scan/);
    if (ordered) assert.doesNotMatch(plan, /TEMP B-TREE|\bSort\b/);
  });
}
