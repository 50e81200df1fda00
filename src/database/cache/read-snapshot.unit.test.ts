import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openConnection } from '../engines/sqlite/connection.ts';
import { createReadSnapshot } from './cached-reads.ts';

const directory = mkdtempSync(join(tmpdir(), 'hearth-state-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const file = join(directory, 'state.sqlite3');
const writer = openConnection(file);
writer.database.exec('pragma journal_mode = wal; create table counts (value integer); insert into counts values (1)');
const here = createReadSnapshot(openConnection(file));
after(() => [writer, here].map(({ database }) => database.close()));

const write = (value: number) => writer.execute({ sql: 'update counts set value = ?', parameters: [value] });
const read = () => here.execute({ sql: 'select value from counts', parameters: [] }).rows[0]?.value;

test('reads in one event loop turn share a snapshot, and the next turn sees new commits', async () => {
  write(1);
  assert.equal(read(), 1);
  write(2);
  assert.equal(read(), 1);
  await setImmediate();
  assert.equal(read(), 2);
});

test('a caller that releases the snapshot sees new commits at once', () => {
  here.endReadTransaction();
  write(3);
  assert.equal(read(), 3);
  write(4);
  here.endReadTransaction();
  assert.equal(read(), 4);
});

test('no transaction stays open after the turn or after a failed statement', async () => {
  assert.throws(() => here.execute({ sql: 'select missing from counts', parameters: [] }), /no such column/);
  read();
  assert.equal(here.database.isTransaction, true);
  await setImmediate();
  assert.equal(here.database.isTransaction, false);
});
