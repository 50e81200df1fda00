import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { loadSqliteCatalog, TableVersions } from './table-versions.ts';

function versionsOf(schema: string): TableVersions {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  return new TableVersions(() => loadSqliteCatalog(database));
}

const FAMILY = `
  create table parents (id integer primary key, name text);
  create table children (id integer primary key, parent_id integer references parents (id) on delete cascade);
  create table toys (id integer primary key, child_id integer references children (id) on delete set null);
  create table names (name text);
  create table others (id integer primary key, parent_id integer references parents (id));
  create trigger parents_change after update on parents begin insert into names values (new.name); end;`;

test('finds the tables that a statement reads anywhere in its text', () => {
  const versions = versionsOf(FAMILY);
  const sql = 'select "id" from "parents" where exists (select 1 from children c where c.parent_id = parents.id)';
  assert.deepEqual(versions.findReadTables(sql).toSorted(), ['children', 'parents']);
});

test('written tables include those of cascading deletions and of triggers', () => {
  const versions = versionsOf(FAMILY);
  assert.deepEqual(versions.findChangedTables('delete from "others" where id = ?')!.toSorted(), ['others']);
  assert.deepEqual(versions.findChangedTables('update "parents" set name = ?')!.toSorted(), ['names', 'parents']);
  const all = ['children', 'names', 'parents', 'toys'];
  assert.deepEqual(versions.findChangedTables('delete from "parents" where id = ?')!.toSorted(), all);
  assert.deepEqual(versions.findChangedTables('select * from parents'), []);
});

test('a table changes when it is written; statements without a table change with every commit', () => {
  const versions = versionsOf(FAMILY);
  const [parents, nothing] = [
    versions.findReadTables('select * from parents'),
    versions.findReadTables('select total_changes()'),
  ];
  versions.recordTransactionEnd(new Set(versions.findChangedTables('insert into others (id) values (?)')));
  assert.deepEqual([versions.areUnchangedSince(parents, 0), versions.areUnchangedSince(nothing, 0)], [true, false]);
  versions.recordTransactionEnd(new Set(versions.findChangedTables('insert into parents (id) values (?)')));
  assert.deepEqual([versions.areUnchangedSince(parents, 0), versions.areUnchangedSince(parents, 2)], [false, true]);
  versions.recordTransactionEnd(new Set());
  assert.equal(versions.areUnchangedSince(nothing, 2), true);
});

test('knows later tables after a notification', () => {
  const database = new DatabaseSync(':memory:');
  const versions = new TableVersions(() => loadSqliteCatalog(database));
  const before = versions.findReadTables('select * from parents');
  database.exec(FAMILY);
  versions.clearCatalog();
  assert.notDeepEqual(versions.findReadTables('select * from parents'), before);
});
