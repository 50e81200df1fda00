import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { buildAlertListQuery, buildNotesQuery, buildStatusCountsQuery } from './store.ts';

type Ask = (db: Reader) => Parameters<typeof explainPlan>[1];

const list =
  (sort: Parameters<typeof buildAlertListQuery>[2]['sort'], more = {}): Ask =>
  (db) =>
    buildAlertListQuery(db, 7, { status: [], sort, ...more }).limit(21);

/** Which index serves a statement that gives its rows in their order already. */
const served: readonly [what: string, ask: Ask, index: string][] = [
  ['a list', list('started_at_desc'), 'alerts_by_start'],
  ['a list of the open ones', list('started_at_asc', { status: ['triggered', 'acknowledged'] }), 'alerts_by_start'],
  ['a search', list('started_at_desc', { search: 'disk full' }), 'alerts_by_start'],
  ['the first to end', list('ended_at_asc'), 'alerts_by_end_asc'],
  ['the last to end', list('ended_at_desc'), 'alerts_by_end_desc'],
  ['the newest', list('created_at_desc'), 'alerts_by_creation'],
  ['the last changed', list('updated_at_desc'), 'alerts_by_update'],
  ['the most frequent', list('event_count_desc'), 'alerts_by_event_count'],
  ['the most severe', list('severity_desc'), 'alerts_by_severity'],
  ['the least severe', list('severity_asc'), 'alerts_by_severity'],
  ['by status', list('status_desc'), 'alerts_by_status'],
];

for (const [what, ask, index] of served) {
  test(`${what} uses ${index}`, async () => {
    await using database = await testDatabase();
    const plan = (await database.transaction((tx) => explainPlan(tx, ask(tx)))).join('\n');
    assert.match(plan, new RegExp(`\\b${index}\\b`));
    assert.doesNotMatch(plan, /SCAN|Seq Scan|TEMP B-TREE|\bSort\b/);
  });
}

test('what was said on one alert is looked at alone', async () => {
  await using database = await testDatabase();
  const plan = (await database.transaction((tx) => explainPlan(tx, buildNotesQuery(tx, 7, 'desc').limit(21)))).join(
    '\n',
  );
  assert.match(plan, /\balert_notes_by_alert\b/);
  assert.doesNotMatch(plan, /SCAN|Seq Scan/);
});

test('what counts statuses looks at the alerts of the project alone', async () => {
  await using database = await testDatabase();
  const plan = (await database.transaction((tx) => explainPlan(tx, buildStatusCountsQuery(tx, 7, {})))).join('\n');
  assert.match(plan, /\balerts_by_\w+/);
  assert.doesNotMatch(plan, /SCAN|Seq Scan/);
});
