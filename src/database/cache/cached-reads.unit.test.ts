import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openConnection } from '../engines/sqlite/connection.ts';
import { cacheReads, createReadSnapshot } from './cached-reads.ts';
import { loadSqliteCatalog, TableVersions } from './table-versions.ts';

const directory = mkdtempSync(join(tmpdir(), 'hearth-remembered-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const file = join(directory, 'remembered.sqlite3');
const [stranger, writer, here] = [openConnection(file), openConnection(file), openConnection(file)];
after(() => [stranger, writer, here].map(({ database }) => database.close()));
stranger.database.exec('pragma journal_mode = wal; create table counts (value integer); insert into counts values (0)');

test('detects commits of another process that happen during the version query', async () => {
  const state = createReadSnapshot(here);
  const meanwhile: (() => void)[] = [];
  const interrupted = {
    ...state,
    getVersion() {
      const version = state.getVersion();
      meanwhile.shift()?.();
      return version;
    },
  };
  const versions = new TableVersions(() => loadSqliteCatalog(writer.database));
  const reader = cacheReads(interrupted, { database: writer.database, versions });
  const write = (value: number) => void stranger.execute({ sql: 'update counts set value = ?', parameters: [value] });
  const read = async () => (await reader.execute({ sql: 'select value from counts', parameters: [] })).rows[0]?.value;
  for (let value = 1; value < 9; value += 2) {
    write(value);
    meanwhile.push(() => write(value + 1));
    // Reads twice, so that the result is cached.
    await read();
    await read();
    await setImmediate();
    assert.equal(await read(), value + 1);
  }
  state.endReadTransaction();
});
