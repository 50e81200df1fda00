import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openConnection } from '../engines/sqlite/connection.ts';
import { createReadSnapshot } from './read-snapshot.ts';

const directory = mkdtempSync(join(tmpdir(), 'hearth-state-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const file = join(directory, 'state.sqlite3');
const writer = openConnection(file);
writer.database.exec('pragma journal_mode = wal; create table counts (value integer); insert into counts values (1)');
const here = createReadSnapshot(openConnection(file));
after(() => [writer, here].map(({ database }) => database.close()));

const write = (value: number) => writer.execute({ sql: 'update counts set value = ?', parameters: [value] });
const read = () => here.execute({ sql: 'select value from counts', parameters: [] }).rows[0]?.value;

test('what is read in one turn is of one state, and the next turn sees what has been committed', async () => {
  write(1);
  assert.equal(read(), 1);
  write(2);
  assert.equal(read(), 1);
  await setImmediate();
  assert.equal(read(), 2);
});

test('whoever lets go sees what has been committed at once', () => {
  here.release();
  write(3);
  assert.equal(read(), 3);
  write(4);
  here.release();
  assert.equal(read(), 4);
});

test('no transaction stays open behind the turn, nor behind a statement that fails', async () => {
  assert.throws(() => here.execute({ sql: 'select missing from counts', parameters: [] }), /no such column/);
  read();
  assert.equal(here.database.isTransaction, true);
  await setImmediate();
  assert.equal(here.database.isTransaction, false);
});
