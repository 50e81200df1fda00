import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants } from 'node:sqlite';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import type { Statement } from '#database/engines/engine.ts';
import { openConnection, toSqliteValue } from '#database/engines/sqlite/connection.ts';
import { getSession } from '#database/sessions.ts';
import { allExamples } from './examples/all.ts';
import { ask } from './examples/call.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { watchReads } from './support/statement-watch.ts';
import { world } from './support/world.ts';

// Checks the plan of every statement of the examples: none may scan a growing table.

const here = await world();
const { database } = here.server.services;

/** Tables that stay small, or that are read in full on purpose. */
const SMALL = [
  'application_settings',
  'feature_flags',
  'feature_gates',
  'schedules',
  'schema_migrations',
  'counters',
  // SQLite's own: a row for a table.
  'sqlite_sequence',
  'geo_sites',
  'geo_statuses',
];

/** Each distinct statement, with the parameters of its first execution. */
const seen = new Map<string, Statement>();

function watch(statement: Statement): void {
  if (/^(with|select|update|delete|insert)\b/i.test(statement.sql) && !seen.has(statement.sql)) {
    seen.set(statement.sql, statement);
  }
}

const { engine, connection } = getSession(database.reader);
const { execute } = connection;
const readsWatched = watchReads(database, watch);
const { begin } = engine;
engine.begin = async (...options) => {
  const open = await begin.apply(engine, options);
  return {
    ...open,
    execute: (statement) => {
      watch(statement);
      return open.execute(statement);
    },
  };
};

const scene = await createScene(here, await createCallers(here), 'private');
const examples = await allExamples(here.server.registry);
for (const { endpoint, builds } of examples) {
  for (const build of builds) {
    const example = await build(scene);
    await ask(here, endpoint, example, scene.callers[example.by]);
  }
}
await here.runJobs();
readsWatched();
engine.begin = begin;

/** The tables that this plan reads from end to end. */
function wholeTables(plan: readonly string[]): string[] {
  const lines = plan.join('\n');
  const named = (pattern: RegExp) => [...lines.matchAll(pattern)].map(([, name]) => name as string);
  if (engine.name === 'postgres') return named(/Seq Scan on (\w+)/g);
  // A subquery may have the name of a table.
  const subqueries = named(/^(?:CO-ROUTINE|MATERIALIZE) (\w+)/gm);
  return named(/^SCAN (\w+)(?! USING| VIRTUAL| CONSTANT)/gm).filter((name) => !subqueries.includes(name));
}

/** A page that is read in the order of the primary key ends with the page: SQLite calls that a scan too. */
function walksByKey(text: string, plan: readonly string[]): boolean {
  return /order by "\w+"\."id" (?:asc|desc) limit/.test(text) && !plan.some((line) => line.includes('TEMP B-TREE'));
}

/** A list may scan its candidates once, up to the counting limit. */
function looksAtAll(text: string): boolean {
  return /^select count\(\*\) as count, case when .* as ids from \(.* limit \S+\) as found/s.test(text);
}

const { rows: tables } = await execute.call(connection, {
  sql:
    engine.name === 'sqlite'
      ? "select name from sqlite_schema where type = 'table'"
      : "select table_name as name from information_schema.tables where table_schema = 'public'",
  parameters: [],
});
const names = new Set(tables.map(({ name }) => String(name)));

test('no statement scans a whole table', async () => {
  const offending: string[] = [];
  await database.transaction(async (tx) => {
    for (const statement of seen.values()) {
      const plan = await explainPlan(tx, { compile: () => statement });
      if (walksByKey(statement.sql, plan) || looksAtAll(statement.sql)) continue;
      const whole = wholeTables(plan).filter((table) => names.has(table) && !SMALL.includes(table));
      if (whole.length > 0) offending.push(`${whole.join(', ')}: ${statement.sql}\n${plan.join('\n')}`);
    }
  });
  assert.ok(seen.size > 100, `${seen.size} statements`);
  assert.deepEqual(offending, []);
});

test('SQLite plans no statement that reads at its second run', async (t) => {
  if (engine.name === 'postgres') return t.skip('PostgreSQL keeps the plans of named statements');
  const { rows } = await execute.call(connection, { sql: 'pragma database_list', parameters: [] });
  const { database: reader } = openConnection(String(rows[0]!.file));
  // SQLite asks the authorizer whenever it plans a statement, and never when it only runs one.
  let questions = 0;
  reader.setAuthorizer(() => {
    questions++;
    return constants.SQLITE_OK;
  });
  const planned: string[] = [];
  for (const { sql, parameters } of seen.values()) {
    if (!/^(with|select)\b/i.test(sql)) continue;
    const prepared = reader.prepare(sql);
    const values = parameters.map(toSqliteValue);
    prepared.all(...values);
    questions = 0;
    prepared.all(...values);
    if (questions > 0) planned.push(`${sql} ${JSON.stringify(parameters)}`);
  }
  reader.close();
  assert.deepEqual(planned, []);
});

test('every foreign key has an index, which deletions use to find referring rows', async (t) => {
  if (engine.name === 'postgres') return t.skip('the same schema');
  const { rows } = await execute.call(connection, {
    sql: `select t.name as "table", f."from" as "column" from sqlite_schema t, pragma_foreign_key_list(t.name) f
      where t.type = 'table' and f.seq = 0 and not exists (
        select 1 from pragma_index_list(t.name) l, pragma_index_info(l.name) i, sqlite_schema s
        where i.seqno = 0 and i.name = f."from" and s.name = l.name
          and (l.partial = 0 or s.sql like '%where ' || f."from" || ' is not null')
      ) and not exists (select 1 from pragma_table_info(t.name) c where c.pk = 1 and c.name = f."from")`,
    parameters: [],
  });
  assert.deepEqual(rows, []);
});

test('every index named in a comment exists', async () => {
  const { rows } = await execute.call(connection, {
    sql:
      engine.name === 'sqlite'
        ? "select name from sqlite_schema where type in ('index', 'table')"
        : "select indexname as name from pg_indexes where schemaname = 'public'",
    parameters: [],
  });
  const known = new Set(rows.map(({ name }) => String(name)));
  const source = join(import.meta.dirname, '../src');
  const missing: string[] = [];
  for (const file of globSync('**/*.ts', { cwd: source })) {
    const comments = readFileSync(join(source, file), 'utf8').matchAll(/(?:\/\/|\*) (?:.*\. )?index: (.*)$/gm);
    const named = [...comments].flatMap(([, names]) => (names as string).match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []);
    // Primary keys have other names on SQLite; those of pages are named by their column.
    const indexes = named.filter((name) => !name.endsWith('_pkey') && !name.endsWith('_by') && !names.has(name));
    missing.push(...indexes.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`));
  }
  assert.deepEqual(missing, []);
});
