import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '#database/database.ts';
import { ddl, runStatements } from '#database/ddl.ts';
import { migrate } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import type { Migration } from '#database/migrations/migration.ts';
import { systemClock } from '#runtime/clock.ts';
import { type Server, startServer } from '#server.ts';
import { engine, testPlace } from '#test/engines/engine.ts';
import { archivedJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import type { JsonObject } from '#text/json-object.ts';
import {
  assertRestoreFails,
  createBackupArchive,
  createEmptyPlace,
  isUntouched,
  loadConfigOf,
  loadConfigWithKey,
  readArchiveParts,
  restoreArchive,
} from './archives.testing.ts';
import { fillTables } from './filled-tables.testing.ts';
import { MANIFEST, SUMS } from './manifest.ts';
import { writeRestoreMark } from './restore-target.ts';

const here = await world({ project: { readme: true } });
const { config } = here.server.services;
let file = '';

before(async () => {
  await archivedJob(here, here.project);
  await here.server.services.secretKey();
  file = await createBackupArchive(config, { withSecretKey: true });
});

test('rejects a target with rows, repositories or blobs', async () => {
  await using used = await testPlace();
  await assertRestoreFails(file, 3, used);
  await using place = await createEmptyPlace();
  for (const directory of ['repositories/@hashed', 'blobs/ab']) {
    await mkdir(join(place.dataDir, directory), { recursive: true });
    await assertRestoreFails(file, 3, place);
    await rm(join(place.dataDir, directory.split('/')[0]!), { recursive: true });
  }
  assert.equal(await isUntouched(place), true);
});

test('requires the secret key that belongs to the archive', async () => {
  const bare = await createBackupArchive(config);
  await using place = await createEmptyPlace();
  await assertRestoreFails(bare, 6, place);
  await assertRestoreFails(bare, 6, place, { HEARTH_SECRET_KEY: '0'.repeat(64) });
  await assertRestoreFails(file, 6, place, { HEARTH_SECRET_KEY: '0'.repeat(64) });
  assert.equal(await isUntouched(place), true);
  await restoreArchive(await loadConfigWithKey(place, here), bare);
});

test('refuses to start on an interrupted restore, and the next restore deletes its files', async () => {
  await using place = await createEmptyPlace();
  const target = loadConfigOf(place);
  await writeRestoreMark(target);
  await mkdir(join(place.dataDir, 'blobs/ab/cd'), { recursive: true });
  await assert.rejects(startServer(target), /A restore into .* was interrupted/);
  await restoreArchive(target, file);
  assert.equal((await readdir(join(place.dataDir, 'blobs'))).includes('ab'), false);
  const key = (await here.server.services.secretKey()).export().toString('hex');
  assert.equal((await readFile(join(place.dataDir, 'secret-key'), 'utf8')).trim(), key);
  // The restore may have been killed after its last step.
  await writeRestoreMark(target);
  const server = await startServer(target, { work: false });
  await servesAll(server);
  await server.stop();
  assert.equal((await readdir(place.dataDir)).includes('restoring'), false);
});

/** Sends a request of the administrator; the path starts after `/api/v4`. */
async function sendJson({ address }: Server, path: string, init: RequestInit = {}): Promise<JsonObject> {
  const headers = { 'PRIVATE-TOKEN': here.root.token!, 'Content-Type': 'application/json' };
  return (await fetch(`${address}/api/v4${path}`, { headers, ...init })).json() as Promise<JsonObject>;
}

const createProject = (server: Server, name: string) =>
  sendJson(server, '/projects', { method: 'POST', body: JSON.stringify({ name }) });

/** Asserts that the restored data is served and searchable, and that counters continue. */
async function servesAll(server: Server): Promise<void> {
  const { project } = here;
  assert.equal((await sendJson(server, `/projects/${project.id}/repository/branches/main`)).name, 'main');
  assert.equal(Object.values(await sendJson(server, `/users?search=${project.owner.username}`)).length, 1);
  const { id } = await createProject(server, 'next');
  const next = await here.newProject({});
  assert.equal(id, next.id);
}

test('restores an archive of an older version and runs newer migrations', async () => {
  const addPlan: Migration = {
    name: '9999_plan',
    up: (tx) => runStatements(tx, ddl`alter table users add column plan text;`),
  };
  await using place = await createEmptyPlace(engine === 'postgres' ? 'sqlite' : engine);
  const config = await loadConfigWithKey(place, here);
  await restoreArchive(config, file, [...migrations, addPlan]);
  const database = await openDatabase({ ...place, clock: systemClock });
  assert.deepEqual(await migrate(database, [...migrations, addPlan]), []);
  const { rows } = await sql`select plan from users where username = 'root'`.execute(database.reader);
  assert.deepEqual(rows, [{ plan: null }]);
  await database.close();
});

/** Returns all parts except manifest and checksums: rows by key, refs with their objects, blobs. */
async function contents(file: string): Promise<Record<string, string>> {
  const parts = [...(await readArchiveParts(file))].filter(([name]) => name !== MANIFEST && !name.endsWith('.bundle'));
  return Object.fromEntries(
    parts.map(([name, bytes]) => [name, name === SUMS ? withoutBundles(bytes) : bytes.toString('latin1')]),
  );
}

/** Compares refs instead of bundles, because objects may be packed in another order. */
function withoutBundles(sums: Buffer): string {
  return String(sums).replace(/^.*\.bundle$/gm, '');
}

/** Returns the refs of all bundles. */
async function refs(file: string): Promise<Record<string, string>> {
  const bundles = [...(await readArchiveParts(file))].filter(([name]) => name.endsWith('.bundle'));
  return Object.fromEntries(
    bundles.map(([name, bytes]) => [name, bytes.toString('latin1', 0, bytes.indexOf('\n\nPACK'))]),
  );
}

async function emptyTables(file: string): Promise<string[]> {
  const { tables } = JSON.parse(String((await readArchiveParts(file)).get(MANIFEST)));
  return Object.keys(tables).filter((name) => tables[name].rows === 0);
}

test('restores a server with few rows on the other engine, and on the first engine after use', async (t) => {
  if (engine === 'sqlite') return t.skip('the run on PostgreSQL goes both ways');
  await using sqlite = await createEmptyPlace('sqlite');
  await restoreArchive(loadConfigOf(sqlite), file);
  const sqliteServer = await startServer(loadConfigOf(sqlite), { work: false });
  await createProject(sqliteServer, 'on-sqlite');
  await sqliteServer.stop();
  const archive = await createBackupArchive(loadConfigOf(sqlite), { withSecretKey: true });
  await using postgres = await createEmptyPlace();
  await restoreArchive(loadConfigOf(postgres), archive);
  const server = await startServer(loadConfigOf(postgres), { work: false });
  const { id } = await createProject(server, 'on-postgres');
  assert.equal((await sendJson(server, '/projects/root%2Fon-sqlite')).id, Number(id) - 1);
  await server.stop();
});

// The last test: it writes rows that no server would write.
test('keeps every table, ref and blob when restored on the other engine and back', async (t) => {
  if (engine === 'sqlite') return t.skip('the run on PostgreSQL goes both ways');
  await fillTables(here, await emptyTables(await createBackupArchive(here.server.services.config)));
  const first = await createBackupArchive(here.server.services.config);
  assert.ok((await emptyTables(first)).length <= 5, 'nearly every table has rows');
  await using sqlite = await createEmptyPlace('sqlite');
  await restoreArchive(await loadConfigWithKey(sqlite, here), first);
  const second = await createBackupArchive(loadConfigOf(sqlite));
  assert.deepEqual(await contents(second), await contents(first));
  await using postgres = await createEmptyPlace();
  await restoreArchive(await loadConfigWithKey(postgres, here), second);
  const third = await createBackupArchive(loadConfigOf(postgres));
  assert.deepEqual(await contents(third), await contents(first));
  assert.deepEqual(await refs(third), await refs(first));
});
