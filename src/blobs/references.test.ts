import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { engine } from '#test/engines/engine.ts';
import { archivedJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { BLOB_REFERENCES, cleanUpBlobs } from './cleanup.ts';
import { hasBlob, registerBlob, type StoredBlob, storeBlob } from './store.ts';

const here = await world({ project: {} });
const { anonymous, project, clock, server } = here;
const { blobs, database } = server.services;

const FOREIGN_KEYS = {
  sqlite: sql<{ name: string }>`select t.name || '.' || f."from" as name
    from sqlite_schema t, pragma_foreign_key_list(t.name) f where t.type = 'table' and f."table" = 'blobs'`,
  postgres: sql<{ name: string }>`select c.conrelid::regclass || '.' || a.attname as name
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    where c.contype = 'f' and c.confrelid = 'blobs'::regclass`,
};

test('the blob cleanup checks every column that refers to blobs', async () => {
  const { rows } = await database.transaction((tx) => FOREIGN_KEYS[engine].execute(tx));
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...BLOB_REFERENCES].sort());
});

test('keeps logs and files of jobs, and deletes unreferenced blobs', async () => {
  const job = await archivedJob(here, project);
  const headers = { ...job.headers, 'Content-Range': '0-3' };
  assert.equal((await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw: 'log', headers })).status, 202);
  const loose = (await storeBlob(blobs, Buffer.from('loose'))) as StoredBlob;
  await database.transaction((tx) => registerBlob(tx, loose));
  clock.advance(3601);
  assert.equal((await cleanUpBlobs(blobs, database)).unreferenced, 1);
  for (const table of ['job_trace_chunks', 'job_artifacts'] as const) {
    const { sha256 } = await database.reader.selectFrom(table).select('sha256').executeTakeFirstOrThrow();
    assert.equal(await hasBlob(blobs, sha256), true, table);
  }
});
