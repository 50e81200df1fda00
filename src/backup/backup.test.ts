import assert from 'node:assert/strict';
import { appendFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUpBlobs } from '#blobs/cleanup.ts';
import { getBlobPath, registerBlob, type StoredBlob, storeBlob } from '#blobs/store.ts';
import { openSnapshot } from '#database/copy.ts';
import { getRepositoryAt } from '#git/git.ts';
import { deleteRepository, listRemovedRepositories } from '#git/storage/storage.ts';
import { startServer } from '#server.ts';
import { verify } from '#test/crash/verify.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import {
  createBackupArchive,
  createEmptyPlace,
  loadConfigWithKey,
  readArchiveParts,
  restoreArchive,
  silentProgress,
} from './archives.testing.ts';
import { runChecks } from './doctor.ts';
import { hasColumns, INTENTS_TABLE, listRepositoryTables, VERSIONED_COLUMNS } from './repositories.ts';
import { withServerData } from './server-data.ts';
import type { BetweenSteps } from './snapshot.ts';

const here = await world();
const { server, newProject, clock } = here;
const { config, database, git, blobs } = server.services;

const tipOf = async ({ owner, repository }: Project): Promise<string> =>
  (await owner.get(`${repository}/branches/main`)).body.commit.id;

async function placeOf({ id }: Project) {
  const row = await database.reader
    .selectFrom('repositories')
    .selectAll()
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow();
  return getRepositoryAt(git, row.storage, row.disk_path);
}

/** Returns the version of the refs of a project in the archive, and the head of `main`. */
async function inArchive(file: string, { id }: Project): Promise<{ version: number; main: string | undefined }> {
  const parts = await readArchiveParts(file);
  const [columns, ...rows] = String(parts.get('tables/repositories.ndjson'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const at = (column: string) => columns.findIndex(([name]: [string]) => name === column);
  const version = rows.find((row) => row[at('project_id')] === id)[at('ref_state_version')];
  const lines = String(parts.get('repositories.ndjson'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { bundle } = lines.find(({ name }) => name === `repositories ${id}`);
  const main = / ?([0-9a-f]{40}) refs\/heads\/main\n/.exec(parts.get(bundle)!.toString('latin1'))?.[1];
  return { version, main };
}

/** Returns a `betweenSteps` that runs the work once, at this step. */
function onceAt(step: Parameters<BetweenSteps>[0], work: () => Promise<unknown>): BetweenSteps {
  let done = false;
  return async (now) => {
    if (now !== step || done) return;
    done = true;
    await work();
  };
}

test('includes ref updates before the snapshot, consistent with the rows, and none after it', async () => {
  const [moving, resting] = [await newProject({ readme: true }), await newProject({ readme: true })];
  let before = '';
  const file = await createBackupArchive(config, {
    betweenSteps: async (step) => {
      await moving.commit({ 'a.txt': step });
      if (step === 'refs are listed') before = await tipOf(moving);
    },
  });
  const found = await inArchive(file, moving);
  assert.equal(found.main, before);
  const { ref_state_version: now } = await database.reader
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', moving.id)
    .executeTakeFirstOrThrow();
  assert.equal(now, found.version + 1);
  assert.equal((await inArchive(file, resting)).main, await tipOf(resting));
});

test('includes a repository with an unfinished ref update and its intent', async () => {
  const project = await newProject({ readme: true });
  const tip = await tipOf(project);
  await database.transaction((tx) =>
    tx
      .insertInto('ref_intents')
      .values({
        project_id: project.id,
        user_id: null,
        changes: JSON.stringify([{ ref: 'refs/heads/main', oldId: tip, newId: 'b'.repeat(40) }]),
        merge_request_id: null,
        merge: null,
        options: null,
        lease_until: '2020-01-01T00:00:00.000Z',
        created_at: '2020-01-01T00:00:00.000Z',
      })
      .execute(),
  );
  const file = await createBackupArchive(config);
  await assert.rejects(createBackupArchive(config, { file }), /already exists/);
  assert.equal((await inArchive(file, project)).main, tip);
  assert.match(String((await readArchiveParts(file)).get('tables/ref_intents.ndjson')), /b{40}/);
  await database.transaction((tx) => tx.deleteFrom('ref_intents').execute());
});

test('includes data that is deleted after the snapshot, and completes the deletion afterwards', async () => {
  const project = await newProject({ readme: true });
  const tip = await tipOf(project);
  const place = await placeOf(project);
  const blob = (await storeBlob(blobs, Buffer.from('a file of that moment'))) as StoredBlob;
  await database.transaction((tx) => registerBlob(tx, blob));
  const removing = onceAt('the snapshot is open', async () => {
    await deleteRepository(git, place);
    clock.advance(3601);
    await cleanUpBlobs(blobs, database);
    assert.equal((await listRemovedRepositories(place)).length, 1);
  });
  const file = await createBackupArchive(config, { betweenSteps: removing });
  assert.equal((await inArchive(file, project)).main, tip);
  assert.equal(String((await readArchiveParts(file)).get(`blobs/${blob.sha256}`)), 'a file of that moment');
  assert.deepEqual(await listRemovedRepositories(place), []);
  assert.equal((await cleanUpBlobs(blobs, database)).strays, 1);
  // The project row remains without a repository.
  await database.transaction((tx) =>
    tx.updateTable('repositories').set({ empty: true }).where('project_id', '=', project.id).execute(),
  );
});

test('reports damaged data and leaves no archive', async () => {
  const blob = (await storeBlob(blobs, Buffer.from('a file that will be damaged'))) as StoredBlob;
  await database.transaction((tx) => registerBlob(tx, blob));
  await appendFile(getBlobPath(blobs, blob.sha256), '!');
  await assert.rejects(createBackupArchive(config), new RegExp(`The blob ${blob.sha256} is damaged`));
  await database.transaction((tx) => tx.deleteFrom('blobs').where('sha256', '=', blob.sha256).execute());
  const project = await newProject({ readme: true });
  const { directory } = await placeOf(project);
  await rename(join(directory, 'objects'), join(directory, 'objects-elsewhere'));
  await assert.rejects(createBackupArchive(config), /The repository of repositories \d+ .* is damaged/);
  await rename(join(directory, 'objects-elsewhere'), join(directory, 'objects'));
});

/** Commits to a project until it is stopped. Records each file after the response to its commit. */
async function keepWriting(
  { owner, at, repository, commit }: Project,
  files: Set<string>,
  goesOn: () => boolean,
): Promise<void> {
  const commits = async () => {
    for (let index = 0; goesOn(); index++) {
      await commit({ [`${index}.txt`]: 'text' });
      files.add(`${index}.txt`);
    }
  };
  const branches = async () => {
    for (let index = 0; goesOn(); index++) {
      await expectSuccess(owner.post(`${repository}/branches`, { branch: `b-${index}`, ref: 'main' }));
      await expectSuccess(owner.post(`${at}/issues`, { title: `Issue ${index}` }));
      if (index % 2 === 0) await expectSuccess(owner.delete(`${repository}/branches/b-${index}`));
    }
  };
  await Promise.all([commits(), branches()]);
}

test('is consistent during concurrent writes: each ref matches its rows', async () => {
  const projects = [await newProject({ readme: true }), await newProject({ readme: true })];
  const written = projects.map(() => new Set<string>());
  let goesOn = true;
  const writing = projects.map((project, index) => keepWriting(project, written[index]!, () => goesOn));
  let before: Set<string>[] = [];
  const file = await createBackupArchive(config, {
    betweenSteps: async () => {
      if (before.length === 0) before = written.map((files) => new Set(files));
    },
  });
  goesOn = false;
  await Promise.all(writing);
  await using place = await createEmptyPlace('sqlite');
  const target = await loadConfigWithKey(place, here);
  await restoreArchive(target, file);
  const other = await startServer(target, { work: false });
  await other.stop();
  for (const [index, { id: projectId }] of projects.entries()) {
    const told = {
      files: before[index]!,
      branches: new Set<string>(),
      deleted: new Set<string>(),
      pushed: new Map(),
      merged: new Set<number>(),
    };
    await verify({ dataDir: place.dataDir, databaseUrl: place.url, projectId, told });
  }
  const found: string[] = [];
  await withServerData(target, silentProgress, (kept) =>
    runChecks({ ...kept, runUnitOfWork: server.services.runUnitOfWork }, { print: (line) => found.push(line) }),
  );
  assert.deepEqual(found, []);
});

test('reads every table with the columns of a repository location', async () => {
  const snapshot = await openSnapshot(server.services.database);
  await snapshot.close();
  const places = /disk_path|repository_path/;
  const named = snapshot.tables.filter(({ columns }) => columns.some(({ name }) => places.test(name)));
  const read = listRepositoryTables(snapshot);
  assert.deepEqual(
    named.map(({ name }) => name),
    read.map(({ name }) => name),
  );
  const intents = snapshot.tables.find(({ name }) => name === INTENTS_TABLE)!.columns.map(({ name }) => name);
  for (const table of read) {
    const { name, key } = table;
    assert.equal(key.length, 1, `${name} has a key of one column`);
    assert.ok(hasColumns(table, VERSIONED_COLUMNS), `${name} says when refs move: it has ${VERSIONED_COLUMNS}`);
    assert.ok(intents.includes(key[0]!), `${INTENTS_TABLE} names rows of ${name} by ${key[0]}`);
  }
});
