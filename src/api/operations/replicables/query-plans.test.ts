import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import type { Statement } from '#database/engines/engine.ts';
import type { SiteScope } from '#domain/site-scope.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { watchReads } from '#test/support/statement-watch.ts';
import { loadReplicables } from './index.ts';
import { REPLICABLE_NAMES, type ReplicableSelection } from './replicable.ts';

const SCOPES: readonly SiteScope[] = [
  { id: 1, selective_sync_type: null, selective_sync_shards: '[]' },
  { id: 1, selective_sync_type: 'namespaces', selective_sync_shards: '[]' },
  { id: 1, selective_sync_type: 'shards', selective_sync_shards: '["default"]' },
];
const SELECTIONS: readonly ReplicableSelection[] = [{ afterId: 7, limit: 100 }, { ids: [1, 2, 3] }];

for (const scope of SCOPES) {
  test(`lists the scope of a site (${scope.selective_sync_type ?? 'everything'}) by an index on ids`, async () => {
    await using database = await testDatabase();
    const seen: Statement[] = [];
    const end = watchReads(database, (statement) => seen.push(statement));
    for (const name of REPLICABLE_NAMES)
      for (const selection of SELECTIONS) await loadReplicables(database.reader, scope, name, selection);
    end();
    assert.equal(seen.length, 12);
    for (const statement of seen) {
      const plan = (await database.transaction((tx) => explainPlan(tx, { compile: () => statement }))).join('\n');
      assert.doesNotMatch(plan, /SCAN (?!json_each)|Seq Scan|TEMP B-TREE FOR ORDER/, `${statement.sql}\n${plan}`);
    }
  });
}
