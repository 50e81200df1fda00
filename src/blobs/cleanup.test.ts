import assert from 'node:assert/strict';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Database, openDatabase } from '#database/database.ts';
import { testPlace } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { cleanUpBlobs, type FindReferencedBlobs } from './cleanup.ts';
import {
  type BlobStore,
  createBlobStore,
  createDraftPath,
  hasBlob,
  nullIfMissing,
  registerBlob,
  type StoredBlob,
  storeBlob,
} from './store.ts';

async function world() {
  const place = await testPlace();
  const clock = testClock();
  const database = await openDatabase({ ...place, clock, detectLongTransactions: true });
  const blobs = createBlobStore({ directory: join(place.dataDir, 'blobs'), clock });
  const close = async () => {
    await database.close();
    await place.remove();
  };
  return { blobs, database, clock, [Symbol.asyncDispose]: close };
}

async function storeText(blobs: BlobStore, text: string): Promise<StoredBlob> {
  return (await storeBlob(blobs, Buffer.from(text))) as StoredBlob;
}

async function storeLinked(blobs: BlobStore, database: Database, text: string): Promise<string> {
  const blob = await storeText(blobs, text);
  await database.transaction((tx) => registerBlob(tx, blob));
  return blob.sha256;
}

const nothing: FindReferencedBlobs = async () => [];
const keeping =
  (...sha256s: string[]): FindReferencedBlobs =>
  async (_db, asked) =>
    asked.filter((sha256) => sha256s.includes(sha256));

const rowsOf = (database: Database) => database.reader.selectFrom('blobs').selectAll().orderBy('size').execute();

test('deletes an unreferenced blob after an hour and keeps others', async () => {
  await using it = await world();
  const kept = await storeLinked(it.blobs, it.database, 'kept');
  const loose = await storeLinked(it.blobs, it.database, 'loose');
  it.clock.advance(3600);
  assert.deepEqual(await cleanUpBlobs(it.blobs, it.database, nothing), { unreferenced: 0, strays: 0, drafts: 0 });
  it.clock.advance(1);
  assert.deepEqual(await cleanUpBlobs(it.blobs, it.database, keeping(kept)), { unreferenced: 1, strays: 0, drafts: 0 });
  assert.equal(await hasBlob(it.blobs, kept), true);
  assert.equal(await hasBlob(it.blobs, loose), false);
  assert.deepEqual(
    (await rowsOf(it.database)).map((row) => [row.sha256, row.size]),
    [[kept, 4]],
  );
});

test('storing or linking a blob again keeps it for another hour', async () => {
  await using it = await world();
  const stored = await storeLinked(it.blobs, it.database, 'stored');
  const linked = await storeLinked(it.blobs, it.database, 'linked');
  it.clock.advance(3601);
  await storeText(it.blobs, 'stored');
  await it.database.transaction((tx) => registerBlob(tx, { sha256: linked, size: 6 }));
  await cleanUpBlobs(it.blobs, it.database, nothing);
  for (const sha256 of [stored, linked]) assert.equal(await hasBlob(it.blobs, sha256), true);
});

test('deletes a stored file that was never linked after an hour', async () => {
  await using it = await world();
  const { sha256 } = await storeText(it.blobs, 'never linked');
  it.clock.advance(3600);
  assert.equal((await cleanUpBlobs(it.blobs, it.database, nothing)).strays, 0);
  it.clock.advance(1);
  assert.equal((await cleanUpBlobs(it.blobs, it.database, nothing)).strays, 1);
  assert.equal(await hasBlob(it.blobs, sha256), false);
});

test('deletes a draft a day after its last write', async () => {
  await using it = await world();
  const now = it.clock.now();
  const path = await createDraftPath(it.blobs);
  await writeFile(path, 'half');
  await utimes(path, now, now);
  it.clock.advance(86_400);
  assert.equal((await cleanUpBlobs(it.blobs, it.database, nothing)).drafts, 0);
  it.clock.advance(1);
  assert.equal((await cleanUpBlobs(it.blobs, it.database, nothing)).drafts, 1);
  assert.equal(await nullIfMissing(() => stat(path)), null);
});

test('one cleanup run deletes more blobs than a batch', async () => {
  await using it = await world();
  const blobs = await Promise.all(Array.from({ length: 450 }, (_, i) => storeText(it.blobs, `blob ${i}`)));
  await it.database.transaction(async (tx) => {
    for (const blob of blobs) await registerBlob(tx, blob);
  });
  it.clock.advance(3601);
  const kept = blobs.slice(0, 3).map(({ sha256 }) => sha256);
  assert.equal((await cleanUpBlobs(it.blobs, it.database, keeping(...kept))).unreferenced, 447);
  assert.equal((await rowsOf(it.database)).length, 3);
});

test('the cleanup fails and keeps the blob if a row outside its query refers to it', async () => {
  await using it = await world();
  const sha256 = await storeLinked(it.blobs, it.database, 'forgotten');
  await it.database.transaction(async (tx) => {
    await sql`create table albums (sha256 text not null references blobs (sha256))`.execute(tx);
    await sql`insert into albums (sha256) values (${sha256})`.execute(tx);
  });
  it.clock.advance(3601);
  await assert.rejects(cleanUpBlobs(it.blobs, it.database, nothing));
  assert.equal(await hasBlob(it.blobs, sha256), true);
  assert.equal((await rowsOf(it.database)).length, 1);
});

test('keeps content that is stored again during the cleanup', async () => {
  await using it = await world();
  const sha256 = await storeLinked(it.blobs, it.database, 'contested');
  it.clock.advance(3601);
  // Runs between the deletion of the row and that of the file.
  const database: Database = {
    ...it.database,
    transaction: async (work, options) => {
      const result = await it.database.transaction(work, options);
      await storeText(it.blobs, 'contested');
      return result;
    },
  };
  await cleanUpBlobs(it.blobs, database, nothing);
  assert.deepEqual(await rowsOf(it.database), []);
  assert.equal(await hasBlob(it.blobs, sha256), true);
});
