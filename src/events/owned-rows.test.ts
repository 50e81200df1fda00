import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { deleteBatch } from '#database/batch-statements.ts';
import type { Reader } from '#database/database.ts';
import { engine } from '#test/engines/engine.ts';
import { errorRow, eventRow } from '#test/support/error-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { BATCH_SIZE } from './batches.ts';
import type { EventName, EventPayloads } from './domain-events.ts';
import { ROWS_OF_GROUP, ROWS_OF_PROJECT, ROWS_OF_USER } from './owned-rows.ts';

const here = await world();
const { newProject, root, server } = here;
const { database, runUnitOfWork } = server.services;

interface Reference {
  readonly table: string;
  readonly column: string;
}

type ForeignKey = Reference & { readonly target: string; readonly action: string };

/** Foreign keys that are neither cleared nor deleted with their row: code deletes these rows one by one before. */
const DELETED_BY_RESOURCES = ['namespaces.owner_id', 'namespaces.parent_id', 'projects.namespace_id', 'stars.user_id'];

/** Columns without a foreign key: their rows may outlive the owner, or refer to it through another table too. */
const WITHOUT_FOREIGN_KEY = [
  'activity_events.project_id',
  'activity_events.author_id',
  'projects.creator_id',
  'error_events.project_id',
];

const OWNED_ROWS = { projects: ROWS_OF_PROJECT, namespaces: ROWS_OF_GROUP, users: ROWS_OF_USER };

const name = ({ table, column }: Reference) => `${table}.${column}`;

async function listForeignKeys(db: Reader): Promise<readonly ForeignKey[]> {
  const query =
    engine === 'sqlite'
      ? sql<ForeignKey>`select t.name as "table", f."from" as "column", f."table" as target, f.on_delete as action
          from sqlite_schema t, pragma_foreign_key_list(t.name) f where t.type = 'table'`
      : sql<ForeignKey>`select c.conrelid::regclass::text as "table", a.attname as "column",
          c.confrelid::regclass::text as target,
          case c.confdeltype when 'c' then 'CASCADE' when 'n' then 'SET NULL' else 'NO ACTION' end as action
          from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
          where c.contype = 'f'`;
  return (await query.execute(db)).rows;
}

/** Returns the first columns of indexes that contain every row, or every row in which the column is not null. */
async function listIndexedColumns(db: Reader): Promise<ReadonlySet<string>> {
  const query =
    engine === 'sqlite'
      ? sql<Reference>`select t.name as "table", i.name as "column"
          from sqlite_schema t, pragma_index_list(t.name) l, pragma_index_info(l.name) i, sqlite_schema s
          where t.type = 'table' and i.seqno = 0 and s.name = l.name
            and (l.partial = 0 or s.sql like '%where ' || i.name || ' is not null')
          union select t.name, c.name from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and c.pk = 1`
      : sql<Reference>`select i.indrelid::regclass::text as "table", a.attname as "column"
          from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)'`;
  return new Set((await query.execute(db)).rows.map(name));
}

const publishBatch = <Name extends EventName>(name: Name, payload: EventPayloads[Name]) =>
  runUnitOfWork(ANONYMOUS, (uow) => uow.publishBatch(name, payload));

async function count(table: string, column: string, value: number): Promise<number> {
  const query = sql<{
    count: number;
  }>`select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} = ${value}`;
  return Number((await query.execute(database.reader)).rows[0]!.count);
}

test('every foreign key to a project, group or user has an index, and cascades, is cleared or has an entry', async () => {
  const indexedColumns = await listIndexedColumns(database.reader);
  const keys = (await listForeignKeys(database.reader)).filter(({ target }) => target in OWNED_ROWS);
  assert.ok(keys.length > 100, `${keys.length} foreign keys`);
  const undeclared = keys.filter(
    (key) =>
      !['CASCADE', 'SET NULL'].includes(key.action) &&
      !DELETED_BY_RESOURCES.includes(name(key)) &&
      !OWNED_ROWS[key.target as keyof typeof OWNED_ROWS].some((rows) => name(rows) === name(key)),
  );
  assert.deepEqual(undeclared.map(name), []);
  assert.deepEqual(
    keys.map(name).filter((key) => !indexedColumns.has(key)),
    [],
  );
});

test('every entry names an indexed foreign key to its owner, and the same for its children', async () => {
  const foreignKeys = new Set((await listForeignKeys(database.reader)).map((key) => `${name(key)} ${key.target}`));
  const indexedColumns = await listIndexedColumns(database.reader);
  for (const [owner, entries] of Object.entries(OWNED_ROWS)) {
    for (const rows of entries) {
      assert.ok(foreignKeys.has(`${name(rows)} ${owner}`) || WITHOUT_FOREIGN_KEY.includes(name(rows)), name(rows));
      for (const child of rows.children ?? []) assert.ok(foreignKeys.has(`${name(child)} ${rows.table}`), name(child));
      for (const reference of [rows, ...(rows.children ?? [])]) {
        assert.ok(indexedColumns.has(name(reference)), `${name(reference)} has no index`);
        // The statement fails if a column of the key does not exist.
        assert.equal(await database.transaction((tx) => deleteBatch(tx, reference, [0], 1)), 0);
      }
    }
  }
});

test('no entry deletes rows to which a later entry refers', async () => {
  const foreignKeys = await listForeignKeys(database.reader);
  for (const entries of [ROWS_OF_PROJECT, ROWS_OF_GROUP, ROWS_OF_USER.filter(({ action }) => action === 'delete')]) {
    for (const [index, { table }] of entries.entries()) {
      const laterTables = entries.slice(index + 1).flatMap((rows) => [rows, ...(rows.children ?? [])]);
      const references = foreignKeys.filter(
        (key) => key.target === table && laterTables.some((later) => later.table === key.table),
      );
      assert.deepEqual(references.map(name), []);
    }
  }
});

const toPayload = ({ id }: Project) => ({ projectId: id, storage: '', diskPath: '' });

test('deletes to-dos in batches before the issues of a project, and resumes after any batch', async () => {
  const project = await newProject();
  const { body: issue } = await expectSuccess(project.owner.post(`${project.at}/issues`, { title: 'x' }));
  await database.transaction(async (tx) => {
    const todo = {
      user_id: project.owner.id,
      author_id: root.id,
      project_id: project.id,
      issue_id: issue.id as number,
      action: 'mentioned',
      created_at: tx.now,
      updated_at: tx.now,
    } as const;
    for (let from = 0; from < BATCH_SIZE + 1; from += 167)
      await tx
        .insertInto('todos')
        .values(Array.from({ length: 167 }, () => todo))
        .execute();
  });
  const remaining = async () => [
    await count('todos', 'project_id', project.id),
    await count('issues', 'project_id', project.id),
  ];
  assert.equal(await publishBatch('project-destroyed', toPayload(project)), true);
  assert.deepEqual(await remaining(), [1, 1]);
  assert.equal(await publishBatch('project-destroyed', toPayload(project)), false);
  assert.deepEqual(await remaining(), [0, 0]);
});

test('deletes the users of errors before the errors, at most a batch of both together', async () => {
  const project = await newProject();
  const ids = [await errorRow(here, project), await errorRow(here, project)];
  const userRows = Array.from({ length: BATCH_SIZE - 1 }, (_, index) => ({ error_id: ids[0]!, user_key: `${index}` }));
  await database.transaction((tx) => tx.insertInto('error_users').values(userRows).execute());
  const remaining = async () => [
    await count('error_users', 'error_id', ids[0]!),
    await count('errors', 'project_id', project.id),
  ];
  assert.equal(await publishBatch('project-destroyed', toPayload(project)), true);
  assert.deepEqual(await remaining(), [0, 1]);
  assert.equal(await publishBatch('project-destroyed', toPayload(project)), false);
  assert.deepEqual(await remaining(), [0, 0]);
});

test('deletes fewer rows with long texts per batch', async () => {
  const project = await newProject();
  const errorId = await errorRow(here, project);
  const payload = 'x'.repeat(5 * 2 ** 20);
  for (let index = 0; index < 2; index++) await eventRow(here, project, errorId, { payload });
  assert.equal(await publishBatch('project-destroyed', toPayload(project)), true);
  assert.equal(await count('error_events', 'error_id', errorId), 1);
  assert.equal(await publishBatch('project-destroyed', toPayload(project)), false);
  assert.equal(await count('error_events', 'error_id', errorId), 0);
});
