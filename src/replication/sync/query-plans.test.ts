import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import type { Statement } from '#database/engines/engine.ts';
import { getSession } from '#database/sessions.ts';
import { watchReads } from '#test/support/statement-watch.ts';
import { createFakePrimary, startTestSecondary } from '../world.testing.ts';

// The registry may have a row per file of the primary: only counting statements may read all rows.

test('no statement of a secondary scans all of its copies', async (t) => {
  const primary = await createFakePrimary(t);
  primary.addBlob('upload', 1, Buffer.from('one'));
  primary.addBlob('upload', 2, Buffer.from('two'));
  const secondary = await startTestSecondary(t, primary.url);
  const { database } = secondary;
  const statements = new Map<string, Statement>();
  const watch = (statement: Statement) => {
    if (/geo_registry/.test(statement.sql) && !/^insert/i.test(statement.sql)) statements.set(statement.sql, statement);
  };
  const end = watchReads(database, watch);
  const { engine } = getSession(database.reader);
  const { begin } = engine;
  engine.begin = async (...options) => {
    const open = await begin.apply(engine, options);
    const execute: typeof open.execute = (statement) => {
      watch(statement);
      return open.execute(statement);
    };
    return { ...open, execute };
  };
  await secondary.pollOnce();
  primary.removeReplicable('upload', 1);
  primary.site.selective_sync_type = 'shards';
  await secondary.pollOnce();
  await secondary.report();
  await fetch(`${secondary.address}/a/b.git/info/refs?service=git-upload-pack`);
  end();
  engine.begin = begin;
  assert.ok(statements.size > 8, `${statements.size} statements`);
  for (const statement of statements.values()) {
    if (statement.sql.includes('group by')) continue;
    const plan = await database.transaction((tx) => explainPlan(tx, { compile: () => statement }));
    assert.doesNotMatch(plan.join('\n'), /SCAN geo_registry(?! USING)|Seq Scan/, statement.sql);
  }
});
