import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { buildAlertForIncidentQuery, buildUnresolvedAlertsQuery } from './store.ts';

type Ask = (db: Reader) => Parameters<typeof explainPlan>[1];

const served: readonly [what: string, ask: Ask, indexes: readonly string[]][] = [
  ['an alert to describe', (db) => buildAlertForIncidentQuery(db, 7), ['alerts_pkey|alerts USING INTEGER PRIMARY KEY']],
  ['the alerts of an incident', (db) => buildUnresolvedAlertsQuery(db, 7), ['alerts_by_issue']],
];

for (const [what, ask, indexes] of served) {
  test(`${what} uses ${indexes.join(' and ')}`, async () => {
    await using database = await testDatabase();
    const plan = (await database.transaction((tx) => explainPlan(tx, ask(tx)))).join('\n');
    for (const index of indexes) assert.match(plan, new RegExp(index), plan);
    assert.doesNotMatch(plan, /SCAN alerts\b|Seq Scan/);
  });
}
