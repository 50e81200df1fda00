import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import { linkBlob, type StoredBlob, storeBlob } from '#blobs/index.ts';
import { blobPath } from '#blobs/store.ts';
import { setLastId } from '#database/copy.ts';
import { repositoryAt } from '#git/git.ts';
import { engine } from '#test/engines/engine.ts';
import { done, type Project, world } from '#test/support/world.ts';
import { silent } from './archives.testing.ts';
import { examine } from './doctor.ts';
import { withServerData } from './server-data.ts';

const here = await world({ project: { readme: true } });
const { project } = here;
const { server, newProject, user, name } = here;
const { config, database, git, blobs, runUnitOfWork } = server.services;

async function doctor(only?: string, repair = false): Promise<string[]> {
  const lines: string[] = [];
  await withServerData(config, silent, (kept) =>
    examine(
      { ...kept, runUnitOfWork },
      { repair, only: only?.split(','), tell: (line) => lines.push(line.replaceAll(/\d+/g, '#')) },
    ),
  );
  return lines;
}

/** What no transaction of ours could write. */
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
  return repositoryAt(git, row.storage, row.disk_path).directory;
}

/** Asserts that the finding is reported, repaired, and then gone. */
async function isRepaired(told: RegExp, repaired: RegExp): Promise<void> {
  const check = told.source.split(':')[0]!.slice(1);
  const [line, ...more] = await doctor(check);
  assert.match(line ?? 'nothing', told);
  assert.deepEqual(more, []);
  const [after, ...others] = await doctor(check, true);
  assert.match(after ?? 'nothing', repaired);
  assert.deepEqual(others, []);
  assert.deepEqual(await doctor(check), []);
}

/** Is told, and left alone. */
async function isLeft(told: RegExp): Promise<void> {
  for (const repair of [false, true]) {
    const lines = await doctor(told.source.split(':')[0]!.slice(1), repair);
    assert.ok(lines.length > 0);
    for (const line of lines) assert.match(line, told);
  }
}

// What is in storages has nothing to do with the engine, and PostgreSQL has no check of its files.
const once = { skip: engine === 'postgres' };

test('a server where all fits together is told nothing', async () => {
  await done(project.owner.post(`${project.at}/issues`, { title: 'Whole' }));
  await newProject({});
  assert.deepEqual(await doctor(), []);
});

test('rows that refer to nothing go, or refer to nothing, as their reference says', async () => {
  const { body: issue } = await done(project.owner.post(`${project.at}/issues`, { title: 'Referring' }));
  await unchecked(`update issues set milestone_id = 4000000 where id = ${issue.id}`);
  await isRepaired(
    /^references: # rows of issues refer by milestone_id .*--fix would let them/,
    /repaired \(let them refer to nothing\)/,
  );
  await unchecked("insert into redirects (full_path, full_path_key, project_id) values ('a/b', 'a/b', 4000000)");
  await isRepaired(/^references: # rows of redirects refer by project_id .*--fix would delete/, /repaired \(delete/);
});

test('an index that does not fit its rows is made anew', once, async () => {
  await unchecked(`create table planted (id integer primary key, a integer, b integer);
    create index planted_index on planted (a); insert into planted values (1, 1, 2);
    pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '(a)', '(b)') where name = 'planted_index'`);
  await isRepaired(/^database: The database is damaged: .*--fix would make the index planted_index anew/, /repaired/);
  await unchecked('drop table planted');
});

test('counters that are behind their rows go on after them', async () => {
  await done(project.owner.post(`${project.at}/issues`, { title: 'Counted' }));
  await database.transaction((tx) => setLastId(tx, 'users', 1));
  await isRepaired(/^counters: New rows of users would be given numbers after #/, /repaired/);
  await user();
  await database.transaction((tx) =>
    tx.updateTable('iid_counters').set({ last: 0 }).where('project_id', '=', project.id).execute(),
  );
  await isRepaired(/^counters: project_id # would number its next issue after #, but there is #/, /repaired/);
  await database.transaction((tx) => tx.deleteFrom('iid_counters').where('project_id', '=', project.id).execute());
  await isRepaired(/^counters: project_id # would number its next issue/, /repaired/);
});

test('folded names follow those that are shown, unless another has them', async () => {
  const [one, other] = [await user(), await user()];
  const key = (id: number, username_key: string) =>
    database.transaction((tx) => tx.updateTable('users').set({ username_key }).where('id', '=', id).execute());
  await key(one.id, 'lost');
  await isRepaired(/^keys: users id # is found by "lost", but its username is "user-#"/, /repaired/);
  await key(one.id, 'lost');
  await key(other.id, one.username);
  const [first, second] = await doctor('keys', true);
  assert.match(first!, /could not be repaired/);
  assert.match(second!, /repaired/);
  await isRepaired(/^keys: .*"lost"/, /repaired/);
});

test('a move of refs that was left is ended', async () => {
  const changes = JSON.stringify([{ ref: 'refs/heads/none', oldId: '0'.repeat(40), newId: 'b'.repeat(40) }]);
  const [lease_until, created_at] = ['2020-01-01T00:01:00.000Z', '2020-01-01T00:00:00.000Z'];
  const values = { project_id: project.id, user_id: null, changes, lease_until, created_at };
  await database.transaction((tx) =>
    tx
      .insertInto('ref_intents')
      .values(values as never)
      .execute(),
  );
  await isRepaired(/^intents: A move of refs of the project #/, /repaired/);
});

test('what rows say of a repository follows the repository, and HEAD the row', once, async () => {
  await here.work();
  await writeFile(join(await directoryOf(project), 'HEAD'), 'ref: refs/heads/other\n');
  await isRepaired(/^repositories: HEAD of repositories # does not name its default branch main/, /repaired/);
  for (const set of [{ empty: true }, { summary_version: '900000 main' }]) {
    await database.transaction((tx) =>
      tx.updateTable('repositories').set(set).where('project_id', '=', project.id).execute(),
    );
    await isRepaired(
      /^repositories: (repositories # says that nothing was pushed|The summary of repositories #)/,
      /repaired/,
    );
  }
});

test('a repository that is not there, or lacks objects, is told and left alone', once, async () => {
  const directory = await directoryOf(project);
  await rename(directory, `${directory}.kept`);
  await isLeft(/^repositories: The repository of repositories # is not there: .*restore a backup$/);
  await rename(`${directory}.kept`, directory);
  const tip = (await project.owner.get(`${project.repository}/branches/main`)).body.commit.id as string;
  const objects = join(directory, 'objects');
  const file = join(objects, tip.slice(0, 2), tip.slice(2));
  const lost = (await stat(file).catch(() => null)) === null ? join(objects, 'pack') : file;
  await rename(lost, join(directory, 'lost'));
  await isLeft(/^repositories: The repository of repositories # is damaged/);
  await rename(join(directory, 'lost'), lost);
  assert.deepEqual(await doctor(), []);
});

test('a repository that no row has named for a day is put aside', once, async () => {
  const root = git.storages.default!;
  const directory = join(root, '@hashed/aa/bb/aabb.git');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/main\n');
  assert.deepEqual(await doctor(), []);
  await utimes(join(directory, 'HEAD'), 0, 0);
  await isRepaired(
    /^storages: No row names @hashed\/aa\/bb\/aabb.git in the storage default: --fix would move it/,
    /repaired/,
  );
  assert.equal((await readdir(join(root, 'put-aside'))).length, 1);
});

test('a file that is damaged or lost is told with who has it, a wrong size is repaired, a stray goes', async () => {
  const content = Buffer.from(`a file ${name()}`);
  const blob = (await storeBlob(blobs, content)) as StoredBlob;
  await database.transaction(async (tx) => {
    await linkBlob(tx, blob);
    await tx.insertInto('lfs_objects').values({ oid: blob.sha256, size: blob.size, created_at: tx.now }).execute();
  });
  const path = blobPath(blobs, blob.sha256);
  await appendFile(path, '!');
  await isLeft(/^blobs: The file \S+ of lfs_objects id # is damaged/);
  await rm(path);
  await isLeft(/^blobs: The file \S+ of lfs_objects id # is not there/);
  await writeFile(path, content);
  await database.transaction((tx) =>
    tx.updateTable('blobs').set({ size: 1 }).where('sha256', '=', blob.sha256).execute(),
  );
  await isRepaired(/^blobs: The file \S+ has # bytes, and its row says #/, /repaired/);
  const stray = (await storeBlob(blobs, Buffer.from('a stray'))) as StoredBlob;
  await utimes(blobPath(blobs, stray.sha256), 0, 0);
  await isRepaired(/^blobs: # files of blobs belong to no row/, /repaired/);
});
