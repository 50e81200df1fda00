import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { findIngestionSettingsByKey } from '#domain/error-tracking.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { buildErrorListQuery, buildEventListQuery } from './store.ts';

type BuildQuery = (db: Reader) => Parameters<typeof explainPlan>[1];

const unresolved = { status: 'unresolved' } as const;

/** Queries, and the indexes that return their rows in the requested order. */
const QUERIES: readonly [name: string, buildQuery: BuildQuery, indexes: readonly string[]][] = [
  [
    'a list',
    (db) => buildErrorListQuery(db, 7, { ...unresolved, sort: 'last_seen' }).limit(21),
    ['errors_by_last_seen'],
  ],
  [
    'a list by age',
    (db) => buildErrorListQuery(db, 7, { ...unresolved, sort: 'first_seen' }).limit(21),
    ['errors_by_first_seen'],
  ],
  [
    'a list by count',
    (db) => buildErrorListQuery(db, 7, { ...unresolved, sort: 'frequency' }).limit(21),
    ['errors_by_event_count'],
  ],
  [
    'a search',
    (db) => buildErrorListQuery(db, 7, { ...unresolved, sort: 'last_seen', search: 'x' }),
    ['errors_by_last_seen'],
  ],
  ['the newest events', (db) => buildEventListQuery(db, 7, 'desc').limit(21), ['error_events_by_error']],
  ['the oldest events', (db) => buildEventListQuery(db, 7, 'asc').limit(21), ['error_events_by_error']],
  ['a key', (db) => findIngestionSettingsByKey.query(db, { project: 7, key: 'glet_0' }), ['client_keys_by_public_key']],
];

for (const [name, buildQuery, indexes] of QUERIES) {
  test(`${name} uses ${indexes.join(' and ')}, without a scan or a sort`, async () => {
    await using database = await testDatabase();
    const plan = (await database.transaction((tx) => explainPlan(tx, buildQuery(tx)))).join('\n');
    for (const index of indexes) assert.match(plan, new RegExp(`\\b${index}\\b`));
    assert.doesNotMatch(plan, /SCAN|Seq Scan|TEMP B-TREE|\bSort\b/);
  });
}

test('a search for a rare substring uses the trigram index on SQLite, without a scan of errors', async () => {
  await using database = await testDatabase();
  const filter = { ...unresolved, sort: 'last_seen', search: 'granite', useSearchIndex: true } as const;
  const plan = (await database.transaction((tx) => explainPlan(tx, buildErrorListQuery(tx, 7, filter)))).join('\n');
  if (database.engine === 'postgres') assert.match(plan, /errors_by_last_seen/);
  else assert.match(plan, /errors_name_key_message_key_culprit_key_trigrams VIRTUAL TABLE/);
  assert.doesNotMatch(plan, /SCAN errors\b|Seq Scan/);
});
