import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import { getBlobPath, registerBlob, type StoredBlob, storeBlob } from '#blobs/store.ts';
import { setLastId } from '#database/copy.ts';
import { getRepositoryAt } from '#git/git.ts';
import { engine } from '#test/engines/engine.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { silentProgress } from './archives.testing.ts';
import { runChecks } from './doctor.ts';
import { withServerData } from './server-data.ts';

const here = await world({ project: { readme: true } });
const { project } = here;
const { server, newProject, user, name } = here;
const { config, database, git, blobs, runUnitOfWork } = server.services;

async function doctor(only?: string, repair = false): Promise<string[]> {
  const lines: string[] = [];
  await withServerData(config, silentProgress, (data) =>
    runChecks(
      { ...data, runUnitOfWork },
      { repair, only: only?.split(','), print: (line) => lines.push(line.replaceAll(/\d+/g, '#')) },
    ),
  );
  return lines;
}

/** Runs SQL without foreign key checks, to create inconsistent data. */
async function unchecked(statement: string): Promise<void> {
  if (engine === 'sqlite') {
    const own = new DatabaseSync(join(config.dataDir, 'hearth.sqlite3'), { timeout: 1000 });
    own.enableDefensive(false);
    own.exec(`pragma foreign_keys = off; ${statement}`);
    return own.close();
  }
  const client = new pg.Client({ connectionString: config.databaseUrl! });
  await client.connect();
  await client.query(`set session_replication_role = replica; ${statement}`).finally(() => client.end());
}

async function directoryOf({ id }: Project): Promise<string> {
  const row = await database.reader
    .selectFrom('repositories')
    .selectAll()
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow();
  return getRepositoryAt(git, row.storage, row.disk_path).directory;
}

/** Asserts that the finding is reported, repaired, and then gone. */
async function isRepaired(finding: RegExp, repaired: RegExp): Promise<void> {
  const check = finding.source.split(':')[0]!.slice(1);
  const [line, ...more] = await doctor(check);
  assert.match(line ?? 'nothing', finding);
  assert.deepEqual(more, []);
  const [after, ...others] = await doctor(check, true);
  assert.match(after ?? 'nothing', repaired);
  assert.deepEqual(others, []);
  assert.deepEqual(await doctor(check), []);
}

/** Asserts that the finding is reported and not repaired. */
async function isLeft(finding: RegExp): Promise<void> {
  for (const repair of [false, true]) {
    const lines = await doctor(finding.source.split(':')[0]!.slice(1), repair);
    assert.ok(lines.length > 0);
    for (const line of lines) assert.match(line, finding);
  }
}

// Checks of storages do not depend on the engine, and PostgreSQL has no check of its files: SQLite is sufficient.
const once = { skip: engine === 'postgres' };

test('reports nothing for a consistent server', async () => {
  await expectSuccess(project.owner.post(`${project.at}/issues`, { title: 'Whole' }));
  await newProject({});
  assert.deepEqual(await doctor(), []);
});

test('deletes dangling rows or clears their references, as the foreign key declares', async () => {
  const { body: issue } = await expectSuccess(project.owner.post(`${project.at}/issues`, { title: 'Referring' }));
  await unchecked(`update issues set milestone_id = 4000000 where id = ${issue.id}`);
  await isRepaired(
    /^references: # rows of issues \(milestone_id\) refer to missing rows of milestones: --fix would clear these references/,
    /repaired \(clear these references of issues\)/,
  );
  await unchecked(`insert into redirects (full_path, full_path_key, project_id) values ('a/b', 'a/b', 4000000);
    insert into stars (project_id, user_id, created_at) values (4000000, ${project.owner.id}, '2020-01-01T00:00:00.000Z')`);
  await isRepaired(
    /^references: # rows of redirects \(project_id\), # rows of stars \(project_id\) refer to missing rows of projects: --fix would delete/,
    /repaired \(delete these rows of redirects, stars\)/,
  );
});

test('rebuilds an index that does not match its rows', once, async () => {
  await unchecked(`create table planted (id integer primary key, a integer, b integer);
    create index planted_index on planted (a); insert into planted values (1, 1, 2);
    pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '(a)', '(b)') where name = 'planted_index'`);
  await isRepaired(/^database: The database is damaged: .*--fix would rebuild the index planted_index/, /repaired/);
  await unchecked('drop table planted');
});

test('raises counters that are lower than used numbers', async () => {
  await expectSuccess(project.owner.post(`${project.at}/issues`, { title: 'Counted' }));
  await database.transaction((tx) => setLastId(tx, 'users', 1));
  await isRepaired(/^counters: New rows of users would get numbers after #/, /repaired/);
  await user();
  await database.transaction((tx) =>
    tx.updateTable('iid_counters').set({ last: 0 }).where('project_id', '=', project.id).execute(),
  );
  await isRepaired(/^counters: The project \S+ would number its next issue after #, but there is #/, /repaired/);
  await database.transaction((tx) => tx.deleteFrom('iid_counters').where('project_id', '=', project.id).execute());
  await isRepaired(/^counters: The project \S+ would number its next issue/, /repaired/);
});

test('repairs folded keys unless another row has the key', async () => {
  const [one, other] = [await user(), await user()];
  const key = (id: number, username_key: string) =>
    database.transaction((tx) => tx.updateTable('users').set({ username_key }).where('id', '=', id).execute());
  await key(one.id, 'lost');
  await isRepaired(/^keys: users id # has the key "lost", but its username is "user-#"/, /repaired/);
  await key(one.id, 'lost');
  await key(other.id, one.username);
  const [first, second] = await doctor('keys', true);
  assert.match(first!, /could not be repaired/);
  assert.match(second!, /repaired/);
  await isRepaired(/^keys: .*"lost"/, /repaired/);
});

test('completes an abandoned ref update', async () => {
  const changes = JSON.stringify([{ ref: 'refs/heads/none', oldId: '0'.repeat(40), newId: 'b'.repeat(40) }]);
  const [lease_until, created_at] = ['2020-01-01T00:01:00.000Z', '2020-01-01T00:00:00.000Z'];
  const values = { project_id: project.id, user_id: null, changes, lease_until, created_at };
  await database.transaction((tx) =>
    tx
      .insertInto('ref_intents')
      .values(values as never)
      .execute(),
  );
  await isRepaired(/^intents: An update of refs of the project user-#\/project-#/, /repaired/);
});

test('repairs repository columns from the repository, and HEAD from the row', once, async () => {
  await here.runJobs();
  await writeFile(join(await directoryOf(project), 'HEAD'), 'ref: refs/heads/other\n');
  await isRepaired(/^repositories: HEAD of the project \S+ does not name its default branch main/, /repaired/);
  for (const set of [{ empty: true }, { summary_version: '900000 main' }]) {
    await database.transaction((tx) =>
      tx.updateTable('repositories').set(set).where('project_id', '=', project.id).execute(),
    );
    await isRepaired(/^repositories: (The project \S+ is marked as empty|The summary of the project \S+)/, /repaired/);
  }
});

test('reports and removes files of interrupted git commands', once, async () => {
  const directory = await directoryOf(project);
  const left = ['objects/pack/tmp_pack_AbCdEf', 'HEAD.lock'].map((name) => join(directory, name));
  const yesterday = new Date(here.clock.now().getTime() - 24 * 3_600_000);
  for (const path of left) {
    await writeFile(path, 'abc');
    await utimes(path, yesterday, yesterday);
  }
  const young = join(directory, 'objects/pack/tmp_pack_young');
  await writeFile(young, '');
  await isRepaired(
    /^repositories: The repository of the project \S+ has # files of interrupted git commands \(# bytes\)/,
    /repaired/,
  );
  await rm(young);
});

test('reports a missing or damaged repository without a repair', once, async () => {
  const directory = await directoryOf(project);
  await rename(directory, `${directory}.kept`);
  await isLeft(/^repositories: The repository of the project \S+ is missing: .*restore a backup$/);
  await rename(`${directory}.kept`, directory);
  const tip = (await project.owner.get(`${project.repository}/branches/main`)).body.commit.id as string;
  const objects = join(directory, 'objects');
  const file = join(objects, tip.slice(0, 2), tip.slice(2));
  const lost = (await stat(file).catch(() => null)) === null ? join(objects, 'pack') : file;
  await rename(lost, join(directory, 'lost'));
  await isLeft(/^repositories: The repository of the project \S+ is damaged/);
  await rename(join(directory, 'lost'), lost);
  assert.deepEqual(await doctor(), []);
});

test('moves a repository without a row aside after a day', once, async () => {
  const root = git.storages.default!;
  const directory = join(root, '@hashed/aa/bb/aabb.git');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/main\n');
  assert.deepEqual(await doctor(), []);
  await utimes(join(directory, 'HEAD'), 0, 0);
  await isRepaired(
    /^storages: No row refers to @hashed\/aa\/bb\/aabb.git in the storage default: --fix would move it/,
    /repaired/,
  );
  assert.equal((await readdir(join(root, 'put-aside'))).length, 1);
});

test('moves a repository aside whose row is in another storage', once, async () => {
  const directory = await directoryOf(project);
  const setStorage = (storage: string) =>
    database.transaction((tx) =>
      tx.updateTable('repositories').set({ storage }).where('project_id', '=', project.id).execute(),
    );
  await utimes(join(directory, 'HEAD'), 0, 0);
  await setStorage('other');
  await isRepaired(/^storages: No row refers to \S+ in the storage default: --fix would move it/, /repaired/);
  await setStorage('default');
  const aside = join(git.storages.default!, 'put-aside');
  const name = (await readdir(aside)).find((entry) => entry.startsWith(basename(directory)));
  await rename(join(aside, name!), directory);
  assert.deepEqual(await doctor(), []);
});

test('reports damaged and missing blobs with their owners, repairs sizes and deletes stray files', async () => {
  const content = Buffer.from(`a file ${name()}`);
  const blob = (await storeBlob(blobs, content)) as StoredBlob;
  await database.transaction(async (tx) => {
    await registerBlob(tx, blob);
    await tx.insertInto('lfs_objects').values({ oid: blob.sha256, size: blob.size, created_at: tx.now }).execute();
  });
  const path = getBlobPath(blobs, blob.sha256);
  await appendFile(path, '!');
  await isLeft(/^blobs: The file \S+ of lfs_objects id # is damaged/);
  await rm(path);
  await isLeft(/^blobs: The file \S+ of lfs_objects id # is missing/);
  await writeFile(path, content);
  await database.transaction((tx) =>
    tx.updateTable('blobs').set({ size: 1 }).where('sha256', '=', blob.sha256).execute(),
  );
  await isRepaired(/^blobs: The file \S+ has # bytes, but its row has the size #/, /repaired/);
  const stray = (await storeBlob(blobs, Buffer.from('a stray'))) as StoredBlob;
  await utimes(getBlobPath(blobs, stray.sha256), 0, 0);
  await isRepaired(/^blobs: # files of blobs belong to no row/, /repaired/);
});

test('reports rows with impossible locations and files, and runs all other checks', async () => {
  const [odd, other] = [await newProject({}), await newProject({})];
  const { storage, disk_path } = await database.reader
    .selectFrom('repositories')
    .selectAll()
    .where('project_id', '=', odd.id)
    .executeTakeFirstOrThrow();
  const values = { size: 1, linked_at: new Date(0).toISOString() };
  await database.transaction(async (tx) => {
    await tx.updateTable('repositories').set({ disk_path: '../../odd.git' }).where('project_id', '=', odd.id).execute();
    await tx.updateTable('repositories').set({ storage: 'lost' }).where('project_id', '=', other.id).execute();
    await tx
      .insertInto('blobs')
      .values({ sha256: "' or 1", ...values })
      .execute();
  });
  const lines = await doctor();
  assert.match(
    lines[0]!,
    /^repositories: The storage lost, which HEARTH_STORAGES does not contain, has the repositories of project user-#\/project-#:/,
  );
  assert.match(
    lines[1]!,
    /^repositories: The project \S+ has the path "\.\.\/\.\.\/odd\.git", which is not one of a storage/,
  );
  assert.match(lines[2]!, /^blobs: The file "' or #" cannot be examined/);
  assert.equal(lines.length, 3);
  await database.transaction(async (tx) => {
    await tx.updateTable('repositories').set({ storage, disk_path }).where('project_id', '=', odd.id).execute();
    await tx.updateTable('repositories').set({ storage }).where('project_id', '=', other.id).execute();
    await tx.deleteFrom('blobs').where('sha256', '=', "' or 1").execute();
  });
});

/** Asserts that a lost directory is one finding: missing, empty, and with a file in its place. */
async function isOneLoss(directory: string, finding: (loss: string) => RegExp): Promise<void> {
  const kept = `${directory}.kept`;
  await rename(directory, kept);
  const losses: [string, () => Promise<unknown>][] = [
    ['is missing', async () => {}],
    ['is empty', () => mkdir(directory)],
    [String.raw`cannot be read \(ENOTDIR[^)]*\)`, () => writeFile(directory, '')],
  ];
  for (const [loss, replace] of losses) {
    await replace();
    const lines = await doctor();
    assert.match(lines[0] ?? 'nothing', finding(loss));
    assert.equal(lines.length, 1, lines.join('\n'));
    await rm(directory, { recursive: true, force: true });
  }
  await rename(kept, directory);
  assert.deepEqual(await doctor(), []);
}

test('reports a lost storage and a lost directory of files once, whatever they held', async () => {
  const owners = 'project user-#/project-#, project user-#/project-#, project user-#/project-# and # more';
  for (let count = 0; count < 3; count += 1) {
    await newProject({ readme: true });
    const blob = (await storeBlob(blobs, Buffer.from(`a lost file ${name()}`))) as StoredBlob;
    await database.transaction((tx) => registerBlob(tx, blob));
  }
  await isOneLoss(
    git.storages.default!,
    (loss) =>
      new RegExp(
        `^repositories: The storage default, whose directory \\S+ ${loss}, has the repositories of ${owners}:`,
      ),
  );
  await isOneLoss(
    blobs.directory,
    (loss) => new RegExp(`^blobs: The directory \\S+ ${loss}, with the files of # rows:`),
  );
});

test('reports a missing or wrong secret key once, whatever it encrypts', async () => {
  for (const key of ['FIRST', 'SECOND'])
    await expectSuccess(project.owner.post(`${project.at}/variables`, { key, value: 'a secret' }));
  const file = join(config.dataDir, 'secret-key');
  const right = await readFile(file, 'utf8');
  for (const [replace, finding] of [
    [() => rm(file), /^secrets: The secret key is missing/],
    [() => writeFile(file, 'a'.repeat(64)), /^secrets: The key file \S+ is another secret key/],
  ] as const) {
    await replace();
    const lines = await doctor();
    assert.match(lines[0] ?? 'nothing', finding);
    assert.equal(lines.length, 1, lines.join('\n'));
  }
  await writeFile(file, right);
  assert.deepEqual(await doctor(), []);
});

test('reports pipes among repositories and files without opening them', once, async () => {
  const content = (await storeBlob(blobs, Buffer.from(`a pipe ${name()}`))) as StoredBlob;
  await database.transaction((tx) => registerBlob(tx, content));
  const [blob, refs] = [getBlobPath(blobs, content.sha256), join(await directoryOf(project), 'packed-refs')];
  await rm(blob);
  await rm(refs, { force: true });
  execFileSync('mkfifo', [blob, refs]);
  const [first, second, ...more] = await doctor();
  assert.match(first!, /^repositories: The repository of the project \S+ has a file that is not regular: packed-refs/);
  assert.match(second!, /^blobs: The file \S+ of no row is missing/);
  assert.deepEqual(more, []);
  await rm(refs);
  await rm(blob);
  await database.transaction((tx) => tx.deleteFrom('blobs').where('sha256', '=', content.sha256).execute());
});
