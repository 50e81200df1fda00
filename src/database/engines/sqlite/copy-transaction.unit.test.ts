import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSqlite } from './sqlite.ts';

const directory = mkdtempSync(join(tmpdir(), 'hearth-copy-'));
const engine = openSqlite(join(directory, 'database'));
after(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

type OpenTransaction = Awaited<ReturnType<typeof engine.begin>>;

const run = async ({ execute }: Pick<OpenTransaction, 'execute'>, sql: string) => execute({ sql, parameters: [] });
const begin = () => engine.begin('serializable', []);
const insertOrphan = async (transaction: OpenTransaction) => run(transaction, 'insert into children values (99)');

test('only the transaction of a restore runs without foreign key checks, whatever waits for the write lock', async () => {
  const setup = await begin();
  await run(setup, 'create table parents (id integer primary key)');
  await run(setup, 'create table children (parent_id integer references parents (id))');
  const waitingRestore = engine.backupOperations.beginRestore();
  await assert.rejects(insertOrphan(setup), /FOREIGN KEY/);
  await setup.commit();
  const restore = await waitingRestore;
  const waitingTransaction = begin();
  await insertOrphan(restore);
  await restore.commit();
  const next = await waitingTransaction;
  await assert.rejects(insertOrphan(next), /FOREIGN KEY/);
  await next.rollback();
});
