import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findSnippet, type Snippet } from '#domain/snippets.ts';
import { getRepositoryAt } from '#git/git.ts';
import { world } from '#test/support/world.ts';

const { user, anonymous, newProject, root, server, clock, runJobs } = await world();
const author = await user();

async function createSnippet(files = [{ file_path: 'a.txt', content: 'a' }]): Promise<string> {
  const { body } = await author.post('/snippets', { title: 'Notes', files, visibility: 'public' });
  return `/snippets/${body.id}`;
}

const pathsOf = async (snippet: string): Promise<string[]> =>
  (await author.get(snippet)).body.files.map(({ path }: { path: string }) => path);
const contentOf = async (snippet: string, path: string, ref = 'main') =>
  (await anonymous.get(`${snippet}/files/${ref}/${encodeURIComponent(path)}/raw`)).text;

test('updates the fields of a snippet without a commit', async () => {
  const snippet = await createSnippet();
  const { status, body } = await author.put(snippet, { title: 'New', description: 'd', visibility: 'internal' });
  assert.deepEqual([status, body.title, body.description, body.visibility], [200, 'New', 'd', 'internal']);
  assert.deepEqual((await author.get(snippet)).body, body);
});

test('changes content and name of the only file', async () => {
  const snippet = await createSnippet();
  await author.put(snippet, { content: 'b' });
  assert.equal((await author.get(`${snippet}/raw`)).text, 'b');
  const { body } = await author.put(snippet, { file_name: 'dir/c.txt', title: 'Both' });
  assert.deepEqual([body.file_name, body.title], ['dir/c.txt', 'Both']);
  assert.equal(await contentOf(snippet, 'dir/c.txt'), 'b');
  await author.put(snippet, { file_name: 'd.txt', content: 'd' });
  assert.deepEqual([await pathsOf(snippet), await contentOf(snippet, 'd.txt')], [['d.txt'], 'd']);
  assert.equal((await author.put(snippet, { content: 'd', title: 'Same content' })).body.title, 'Same content');
});

test('creates, updates, moves and deletes files in one commit, and names files without a path', async () => {
  const snippet = await createSnippet(['a', 'b', 'c'].map((name) => ({ file_path: name, content: name })));
  const { status, body } = await author.put(snippet, {
    files: [
      { action: 'create', content: 'new' },
      { action: 'update', file_path: 'a', content: 'changed' },
      { action: 'move', previous_path: 'b', file_path: 'moved' },
      { action: 'delete', file_path: 'c' },
    ],
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(await pathsOf(snippet), ['a', 'moved', 'snippetfile1.txt']);
  assert.deepEqual(
    [await contentOf(snippet, 'a'), await contentOf(snippet, 'moved'), await contentOf(snippet, 'snippetfile1.txt')],
    ['changed', 'b', 'new'],
  );
  assert.equal(await contentOf(snippet, 'c', 'main~1'), 'c');
});

test('answers 404 with the missing part for an unknown ref or file', async () => {
  const snippet = await createSnippet();
  const messageOf = async (path: string) => (await author.get(`${snippet}/files/${path}/raw`)).body;
  assert.deepEqual(await messageOf('nope/a.txt'), { message: '404 Reference Not Found' });
  assert.deepEqual(await messageOf('main/nope'), { message: '404 File Not Found' });
  const { headers } = await author.get(`${snippet}/files/main/a.txt/raw`);
  assert.match(headers['content-type'] ?? '', /^text\/plain/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

const INVALID_ACTIONS = [
  { action: 'update', file_path: 'a.txt' },
  { action: 'update', content: 'a' },
  { action: 'delete' },
  { action: 'create', file_path: 'b' },
  { action: 'move', file_path: 'b' },
  { action: 'move', file_path: 'a.txt', previous_path: 'a.txt' },
];

test('rejects invalid changes without changing anything', async () => {
  const snippet = await createSnippet();
  const before = (await author.get(snippet)).body;
  const assertRejected = async (params: Readonly<Record<string, unknown>>, status: number, body: object) => {
    const response = await author.put(snippet, params);
    assert.deepEqual([response.status, response.body], [status, body]);
  };
  for (const action of INVALID_ACTIONS)
    await assertRejected({ files: [action] }, 422, { message: { error: 'Snippet actions have invalid data' } });
  const reject = (error: string) => ({ message: { error } });
  const missing =
    'content, description, files, file_name, title, visibility are missing, at least one parameter must be provided';
  await assertRejected({}, 400, { error: missing });
  await assertRejected({ files: [], content: 'a' }, 400, { error: 'files, content are mutually exclusive' });
  await assertRejected({ files: [], file_name: 'a' }, 400, { error: 'files, file_name are mutually exclusive' });
  await assertRejected({ title: '' }, 400, { error: 'title is empty' });
  await assertRejected({ files: [{ action: 'x' }] }, 400, { error: 'files[0][action] does not have a valid value' });
  const deletion = { action: 'delete', file_path: 'a.txt' };
  await assertRejected({ files: [deletion] }, 400, reject('The repository must contain at least 1 file.'));
  const additions = Array.from({ length: 10 }, () => ({ action: 'create', content: 'a' }));
  await assertRejected({ files: additions }, 400, reject('The repository can contain at most 10 file(s).'));
  const taken = { action: 'create', file_path: 'a.txt', content: 'a' };
  const text = 'Repository Error updating the snippet - A file with this name already exists';
  await assertRejected({ files: [taken], title: 'New' }, 400, reject(text));
  assert.deepEqual((await author.get(snippet)).body, before);
});

test('an update is followed by maintenance of the repository', async () => {
  const { id } = (await author.post('/snippets', { title: 'Notes', content: 'a' })).body;
  await author.put(`/snippets/${id}`, { content: 'b' });
  const { git, database } = server.services;
  const { disk_path, storage } = (await findSnippet(database.reader, id)) as Snippet;
  const graphs = join(getRepositoryAt(git, storage, disk_path).directory, 'objects/info/commit-graphs');
  assert.equal(existsSync(graphs), false);
  clock.advance(31);
  await runJobs();
  assert.equal(existsSync(graphs), true);
});

test('rejects the name or content of one file for a snippet of several files', async () => {
  const snippet = await createSnippet(['a', 'b'].map((name) => ({ file_path: name, content: name })));
  const message = { error: 'To update Snippets with multiple files, you must use the `files` parameter' };
  for (const params of [{ content: 'a' }, { file_name: 'c' }]) {
    const { status, body } = await author.put(snippet, params);
    assert.deepEqual([status, body], [400, { message }]);
  }
});

test('keeps the changes of two concurrent writers', async () => {
  const snippet = await createSnippet();
  const names = ['w1', 'w2', 'w3', 'w4'];
  const files = (name: string) => ({ files: [{ action: 'create', file_path: name, content: name }] });
  const responses = await Promise.all(names.map((name) => author.put(snippet, files(name))));
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.deepEqual((await pathsOf(snippet)).sort(), ['a.txt', ...names]);
});

test('only the author and administrators update a personal snippet; 404 to callers who may not read it', async () => {
  const snippet = await createSnippet();
  const other = await user();
  assert.equal((await other.put(snippet, { title: 'a' })).status, 403);
  assert.equal((await anonymous.put(snippet, { title: 'a' })).status, 401);
  assert.equal((await root.put(snippet, { visibility: 'private' })).status, 200);
  assert.equal((await other.put(snippet, { title: 'a' })).status, 404);
});

test('the setting snippet_size_limit bounds the content of a file', async () => {
  const { owner, at } = await newProject();
  const input = { title: 'a', file_name: 'a', visibility: 'private' };
  await root.put('/application/settings', { snippet_size_limit: 1024 * 1024 });
  const large = 'a'.repeat(1536 * 1024);
  const rejected = await owner.post(`${at}/snippets`, { ...input, content: large });
  const { body } = await owner.post(`${at}/snippets`, { ...input, content: 'a' });
  const update = await owner.put(`${at}/snippets/${body.id}`, { content: large });
  await root.put('/application/settings', { snippet_size_limit: 52_428_800 });
  const message = { error: 'Content is too long (1.5 MiB). The maximum size is 1 MiB.' };
  for (const response of [rejected, update]) assert.deepEqual([response.status, response.body], [400, { message }]);
});
