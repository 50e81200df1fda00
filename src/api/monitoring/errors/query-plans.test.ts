import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { ingestionSettingsByKey } from '#domain/error-tracking.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { eventsOf } from './event-store.ts';
import { errorsOf } from './store.ts';

type Ask = (db: Reader) => Parameters<typeof explainPlan>[1];

const open = { status: 'unresolved' } as const;

/** Which indexes serve a statement that gives its rows in their order already. */
const served: readonly [what: string, ask: Ask, indexes: readonly string[]][] = [
  ['a list', (db) => errorsOf(db, 7, { ...open, sort: 'last_seen' }).limit(21), ['errors_by_last_seen']],
  ['a list by age', (db) => errorsOf(db, 7, { ...open, sort: 'first_seen' }).limit(21), ['errors_by_first_seen']],
  ['a list by count', (db) => errorsOf(db, 7, { ...open, sort: 'frequency' }).limit(21), ['errors_by_event_count']],
  ['a search', (db) => errorsOf(db, 7, { ...open, sort: 'last_seen', search: 'x' }), ['errors_by_last_seen']],
  ['the newest events', (db) => eventsOf(db, 7, 'desc').limit(21), ['error_events_by_error']],
  ['the oldest events', (db) => eventsOf(db, 7, 'asc').limit(21), ['error_events_by_error']],
  ['a key', (db) => ingestionSettingsByKey.query(db, { project: 7, key: 'glet_0' }), ['client_keys_by_public_key']],
];

for (const [what, ask, indexes] of served) {
  test(`${what}: ${indexes.join(' and ')} tell which they are`, async () => {
    await using database = await testDatabase();
    const plan = (await database.transaction((tx) => explainPlan(tx, ask(tx)))).join('\n');
    for (const index of indexes) assert.match(plan, new RegExp(`\\b${index}\\b`));
    assert.doesNotMatch(plan, /SCAN|Seq Scan|TEMP B-TREE|\bSort\b/);
  });
}

test('a part that few errors say is looked up where there is an index of parts, in no list of errors', async () => {
  await using database = await testDatabase();
  const wanted = { ...open, sort: 'last_seen', search: 'granite', rare: true } as const;
  const plan = (await database.transaction((tx) => explainPlan(tx, errorsOf(tx, 7, wanted)))).join('\n');
  if (database.engine === 'postgres') assert.match(plan, /errors_by_last_seen/);
  else assert.match(plan, /errors_name_key_message_key_culprit_key_trigrams VIRTUAL TABLE/);
  assert.doesNotMatch(plan, /SCAN errors\b|Seq Scan/);
});
