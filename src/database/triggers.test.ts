import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import type { Transaction } from './database.ts';
import { ddl, runStatements } from './ddl.ts';
import { columnCopies, trigger } from './triggers.ts';

const TABLES = ddl`
  create table owners (
    id integer primary key,
    name text,
    size integer not null default 0
  );
  create table things (
    id id,
    owner_id integer not null,
    name text
  );
`;

const COPIES = ddl`
  ${columnCopies({ table: 'things', key: 'owner_id', source: 'owners', columns: ['name'] })}
  ${trigger({
    name: 'things_counted',
    after: 'insert on things',
    run: 'update owners set size = size + 1 where id = new.owner_id',
  })}
`;

async function run(tx: Transaction, text: string): Promise<Record<string, unknown>[]> {
  return (await sql.raw<Record<string, unknown>>(text).execute(tx)).rows;
}

test('copies columns into existing rows, into new rows, and after a change', async () => {
  await using database = await testDatabase({ empty: true });
  await database.transaction(async (tx) => {
    await runStatements(tx, TABLES);
    await run(tx, "insert into owners (id, name) values (1, 'one'), (2, 'two')");
    await run(tx, 'insert into things (owner_id) values (1)');
    await runStatements(tx, COPIES);
    await run(tx, 'insert into things (owner_id) values (1), (2)');
    const listNames = async () => (await run(tx, 'select name from things order by id')).map(({ name }) => name);
    assert.deepEqual(await listNames(), ['one', 'one', 'two']);
    await run(tx, "update owners set name = 'first' where id = 1");
    assert.deepEqual(await listNames(), ['first', 'first', 'two']);
    for (const name of [null, 'again']) {
      await sql`update owners set name = ${name} where id = 1`.execute(tx);
      assert.deepEqual(await listNames(), [name, name, 'two']);
    }
    assert.deepEqual(await run(tx, 'select size from owners order by id'), [{ size: 1 }, { size: 1 }]);
  });
});
