import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { getRepositoryAt } from '#git/git.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { jobRun } from '#test/support/job-run.ts';
import { type Caller, world } from '#test/support/world.ts';
import { deleteStaleDraft } from './cleanup.ts';

const { root, anonymous, user, server, runJobs, clock } = await world();
const author = await user();
const other = await user();
const { database, git } = server.services;

const rowOf = async (id: number) =>
  (await database.reader.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst())!;

test('returns the created snippet, whose repository has its file', async () => {
  const response = await author.post('/snippets', {
    title: 'Notes',
    content: 'héllo\n',
    file_name: 'dir/a b.md',
    description: 'd',
  });
  assert.equal(response.status, 201);
  const { id, created_at, updated_at, author: by, ...rest } = response.body;
  const at = server.address;
  assert.deepEqual([by.id, updated_at], [author.id, created_at]);
  assert.deepEqual(rest, {
    title: 'Notes',
    description: 'd',
    visibility: 'private',
    project_id: null,
    web_url: `${at}/-/snippets/${id}`,
    raw_url: `${at}/-/snippets/${id}/raw`,
    ssh_url_to_repo: `git@127.0.0.1:snippets/${id}.git`,
    http_url_to_repo: `${at}/snippets/${id}.git`,
    file_name: 'dir/a b.md',
    files: [{ path: 'dir/a b.md', raw_url: `${at}/-/snippets/${id}/raw/main/dir/a%20b.md` }],
    imported: false,
    imported_from: 'none',
  });
  const { storage, disk_path } = await rowOf(id);
  assert.match((await resolveRef(getRepositoryAt(git, storage, disk_path), 'refs/heads/main'))!, /^[0-9a-f]{40}$/);
  assert.equal((await author.get(`/snippets/${id}/raw`)).text, 'héllo\n');
});

test('stores several files unchanged; the raw endpoint returns the first', async () => {
  const files = [
    { file_path: 'b.txt', content: 'b' },
    { file_path: 'a.txt', content: 'a' },
  ];
  const { body } = await author.post('/snippets', { title: 'Files', files });
  assert.deepEqual(
    [body.file_name, body.files.map((file: { path: string }) => file.path)],
    ['b.txt', ['b.txt', 'a.txt']],
  );
  assert.equal((await author.get(`/snippets/${body.id}/raw`)).text, 'b');
  assert.equal((await author.post('/snippets', { title: 'Unnamed', content: 'a' })).body.file_name, 'snippetfile1.txt');
});

test('rejects invalid snippets without creating a row or repository', async () => {
  const assertRejected = async (params: Readonly<Record<string, unknown>>, answer: object) => {
    const { status, body } = await author.post('/snippets', params);
    assert.deepEqual([status, body], [400, answer]);
  };
  const { count } = await database.reader
    .selectFrom('snippets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const none = 'files, content are missing, exactly one parameter must be provided';
  await assertRejected({}, { error: `title is missing, title is empty, ${none}` });
  await assertRejected({ title: 'a', content: 'a', files: [] }, { error: 'files, content are mutually exclusive' });
  await assertRejected(
    { title: 'a', content: 'a', visibility: 'x' },
    { error: 'visibility does not have a valid value' },
  );
  await assertRejected({ title: ' ', content: 'a' }, { error: 'title is empty' });
  await assertRejected({ title: 'a', content: '' }, { error: 'content is empty' });
  const rejection = (error: string) => ({ message: { error } });
  const repositoryError = (text: string) => rejection(`Repository Error creating the snippet - ${text}`);
  await assertRejected({ title: 'a', files: [] }, rejection('The repository must contain at least 1 file.'));
  const long = { title: 'x'.repeat(256), content: 'a' };
  await assertRejected(long, rejection('Title is too long (maximum is 255 characters)'));
  const twice = [1, 2].map(() => ({ file_path: 'a', content: 'a' }));
  await assertRejected({ title: 'a', files: twice }, repositoryError('A file with this name already exists'));
  for (const name of ['../a', '.git/config', 'a\nb', 'a\rb', 'dir\r\n/b', '\n']) {
    await assertRejected({ title: 'a', content: 'a', file_name: name }, repositoryError('The file path is invalid'));
  }
  for (const file_path of ['../a', 'b/../a', '/etc/a', 'a\nb']) {
    const error = 'files[0][file_path] should be a valid file path';
    await assertRejected({ title: 'a', files: [{ file_path, content: 'a' }] }, { error });
  }
  const rows = await database.reader.selectFrom('snippets').select('id').execute();
  assert.equal(rows.length, count);
  assert.equal((await listRepositories(git.storages.default!)).length, count);
  assert.equal((await anonymous.post('/snippets', { title: 'a', content: 'a' })).status, 401);
});

test('rejects a restricted visibility level for callers who are not administrators', async () => {
  assert.equal((await root.put('/application/settings', { restricted_visibility_levels: ['public'] })).status, 200);
  const input = { title: 'a', content: 'a', visibility: 'public' };
  const { status, body } = await author.post('/snippets', input);
  const message = { error: 'Visibility level public has been restricted by your GitLab administrator' };
  assert.deepEqual([status, body], [403, { message }]);
  assert.equal((await root.post('/snippets', input)).status, 201);
  await root.put('/application/settings', { restricted_visibility_levels: [] });
});

test('a draft of a dead process is invisible and is deleted with its repository', async () => {
  const { id } = (await author.post('/snippets', { title: 'Dying', content: 'a' })).body;
  await database.transaction((tx) =>
    tx.updateTable('snippets').set({ repository_created: false }).where('id', '=', id).execute(),
  );
  assert.equal((await author.get(`/snippets/${id}`)).status, 404);
  const row = await rowOf(id);
  clock.advance(3601);
  await runJobs();
  assert.equal(await rowOf(id), undefined);
  assert.equal(await repositoryExists(getRepositoryAt(git, row.storage, row.disk_path)), false);
});

test('a late or repeated draft cleanup does not delete a published snippet', async () => {
  const { id } = (await author.post('/snippets', { title: 'Living', content: 'kept' })).body;
  const { storage, disk_path } = await rowOf(id);
  await deleteStaleDraft.handle(server.services, { id, storage, disk_path }, jobRun());
  assert.equal((await author.get(`/snippets/${id}/raw`)).text, 'kept');
});

/** Lists the directories of all repositories in a storage. */
async function listRepositories(storage: string): Promise<string[]> {
  const entries = await readdir(join(storage, '@hashed'), { recursive: true, withFileTypes: true });
  return entries.filter(({ name }) => name.endsWith('.git')).map(({ name }) => name);
}

const createSnippet = async (visibility: string, by = author): Promise<number> =>
  (await by.post('/snippets', { title: visibility, content: visibility, visibility })).body.id;
const idsFor = async (caller: Caller, params = {}): Promise<number[]> =>
  (await caller.get('/snippets/all', { per_page: 100, ...params })).body.map(({ id }: { id: number }) => id);

test('private snippets are visible to author and administrators, internal ones to signed-in users, public ones to all', async () => {
  const listStatuses = async (visibility: string) => {
    const id = await createSnippet(visibility);
    const statuses = [];
    for (const caller of [author, root, other, anonymous]) {
      const { status, body } = await caller.get(`/snippets/${id}`);
      if (status === 404) assert.deepEqual(body, { message: '404 Snippet Not Found' });
      assert.equal((await caller.get(`/snippets/${id}/raw`)).status, status);
      statuses.push(status);
    }
    return statuses;
  };
  assert.deepEqual(await listStatuses('private'), [200, 200, 404, 404]);
  assert.deepEqual(await listStatuses('internal'), [200, 200, 200, 404]);
  assert.deepEqual(await listStatuses('public'), [200, 200, 200, 200]);
  assert.equal((await author.get('/snippets/999999')).status, 404);
  assert.deepEqual((await author.get('/snippets/x')).body, { error: 'id is invalid' });
});

test('lists the snippets that the caller may read, newest first; anonymous callers get 401', async () => {
  const [hidden, internal, open] = [
    await createSnippet('private'),
    await createSnippet('internal'),
    await createSnippet('public'),
  ];
  const ids = [open, internal, hidden];
  const among = async (caller: Caller) => (await idsFor(caller)).filter((id) => ids.includes(id));
  assert.deepEqual(await among(author), ids);
  assert.deepEqual(await among(root), ids);
  assert.deepEqual(await among(other), [open, internal]);
  assert.equal((await anonymous.get('/snippets/all')).status, 401);
});

test('only administrators see the storage and can filter by it', async () => {
  const id = await createSnippet('public');
  assert.equal((await root.get(`/snippets/${id}`)).body.repository_storage, 'default');
  assert.equal('repository_storage' in (await author.get(`/snippets/${id}`)).body, false);
  assert.deepEqual(await idsFor(root, { repository_storage: 'elsewhere' }), []);
  assert.equal((await idsFor(root, { repository_storage: 'default' })).includes(id), true);
  assert.equal((await idsFor(author, { repository_storage: 'elsewhere' })).includes(id), true);
});

test('only author and administrators can delete a snippet, and a job deletes its repository', async () => {
  const [id, second] = [await createSnippet('public'), await createSnippet('private')];
  const row = await server.services.database.reader
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  assert.equal((await anonymous.delete(`/snippets/${id}`)).status, 401);
  assert.equal((await other.delete(`/snippets/${id}`)).status, 403);
  assert.equal((await other.delete(`/snippets/${second}`)).status, 404);
  assert.equal((await author.delete(`/snippets/${id}`)).status, 204);
  assert.equal((await root.delete(`/snippets/${second}`)).status, 204);
  assert.equal((await author.delete(`/snippets/${id}`)).status, 404);
  await runJobs();
  const { git } = server.services;
  assert.equal(await repositoryExists(getRepositoryAt(git, row!.storage, row!.disk_path)), false);
});

test('deleting a user reassigns their snippets to the ghost user; a hard delete deletes them', async () => {
  const [leaver, purged] = [await user(), await user()];
  const [open, hidden] = [await createSnippet('public', leaver), await createSnippet('private', leaver)];
  const deletedId = await createSnippet('public', purged);
  assert.equal((await root.delete(`/users/${leaver.id}`)).status, 204);
  assert.equal((await root.delete(`/users/${purged.id}`, { hard_delete: true })).status, 204);
  await runJobs();
  assert.equal((await anonymous.get(`/snippets/${open}`)).body.author.username, 'ghost');
  assert.equal((await other.get(`/snippets/${hidden}`)).status, 404);
  assert.equal((await root.get(`/snippets/${hidden}/raw`)).status, 200);
  assert.equal((await root.get(`/snippets/${deletedId}`)).status, 404);
  assert.equal((await root.delete(`/snippets/${open}`)).status, 204);
  const rows = await server.services.database.reader
    .selectFrom('snippets')
    .select('id')
    .where('author_id', 'in', [leaver.id, purged.id])
    .execute();
  assert.deepEqual(rows, []);
});

test('lists the own snippets of the caller, newest first, by time of creation', async () => {
  const writer = await user();
  const create = async (title: string) => (await writer.post('/snippets', { title, content: 'x' })).body;
  const first = await create('first');
  clock.advance(60);
  const second = await create('second');
  await other.post('/snippets', { title: 'of another', content: 'x', visibility: 'public' });
  const titles = async (params = {}) =>
    (await writer.get('/snippets', params)).body.map(({ title }: { title: string }) => title);
  assert.deepEqual(await titles(), ['second', 'first']);
  assert.deepEqual(await titles({ per_page: 1, page: 2 }), ['first']);
  assert.deepEqual(await titles({ created_after: second.created_at }), ['second']);
  assert.deepEqual(await titles({ created_before: first.created_at }), ['first']);
  assert.equal((await anonymous.get('/snippets')).status, 401);
});

test('encodes the name of the default branch in the addresses of files', async () => {
  const { body } = await author.post('/snippets', { title: 'Branch', content: 'a' });
  await database.transaction((tx) =>
    tx.updateTable('snippets').set({ default_branch: 'release/#1' }).where('id', '=', body.id).execute(),
  );
  const [file] = (await author.get(`/snippets/${body.id}`)).body.files;
  assert.equal(file.raw_url, `${body.web_url}/raw/release%2F%231/snippetfile1.txt`);
});
