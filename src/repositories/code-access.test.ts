import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';
import { listObjects } from './objects.testing.ts';

// Common rules of all repository reads and writes (contract/repository.md §0): project settings, token scopes, and error
// messages. `test/matrix.txt` has the access by role.

const { root, anonymous, user, tokenOf, withToken, name, newProject, server } = await world();

interface FilledProject {
  readonly owner: Caller;
  readonly id: number;
  readonly path_with_namespace: string;
  /** `/projects/:id` */
  readonly at: string;
  readonly tip: string;
  readonly blob: string;
}

/** `main` is protected and tagged `v1`; `other` is ahead of it. */
async function createFilledProject(attributes: Readonly<Record<string, unknown>> = {}): Promise<FilledProject> {
  const { owner, id, path_with_namespace, repository, commit, point } = await newProject({
    readme: true,
    ...attributes,
  });
  const tip = await commit({ 'a.txt': 'a' });
  await commit({ 'b.txt': 'b' }, { branch: 'other' });
  await point('refs/tags/v1', tip);
  const { body } = await owner.get(`${repository}/files/a.txt`, { ref: 'main' });
  return { owner, id, path_with_namespace, at: `/projects/${id}`, tip, blob: body.blob_id };
}

const GONE = ['404 Repository Not Found', 404];
const FORBIDDEN = ['403 Forbidden', 403];

/** All reads below `/projects/:id`, with their status when the repository is disabled. */
const reads = ({ tip, blob }: FilledProject): [path: string, off: (string | number)[]][] => [
  ['/repository/branches', GONE],
  ['/repository/branches/main', GONE],
  ['/repository/commits', GONE],
  ['/repository/commits/main', GONE],
  ['/repository/commits/main/diff', GONE],
  ['/repository/commits/main/refs', GONE],
  ['/repository/files/a.txt?ref=main', FORBIDDEN],
  ['/repository/files/a.txt/blame?ref=main', FORBIDDEN],
  ['/repository/files/a.txt/raw', FORBIDDEN],
  ['/repository/tree', FORBIDDEN],
  [`/repository/blobs/${blob}`, FORBIDDEN],
  [`/repository/blobs/${blob}/raw`, FORBIDDEN],
  ['/repository/archive', FORBIDDEN],
  ['/repository/archive.zip', FORBIDDEN],
  ['/repository/compare?from=main&to=other', FORBIDDEN],
  [`/repository/merge_base?refs[]=main&refs[]=${tip}`, FORBIDDEN],
  ['/repository/contributors', FORBIDDEN],
  ['/repository/tags', FORBIDDEN],
  ['/repository/tags/v1', FORBIDDEN],
  ['/protected_branches', FORBIDDEN],
  ['/protected_branches/main', FORBIDDEN],
];

const FILE = { branch: 'other', content: 'x', commit_message: 'm' };
const ACTIONS = [{ action: 'create', file_path: 'new.txt', content: 'x' }];

/** All git writes below `/projects/:id`, with valid input. */
const writes = ({ tip }: FilledProject): [method: string, path: string, params: Record<string, unknown>][] => [
  ['POST', '/repository/files/new.txt', FILE],
  ['PUT', '/repository/files/a.txt', FILE],
  ['DELETE', '/repository/files/a.txt', { branch: 'other', commit_message: 'm' }],
  ['POST', '/repository/commits', { branch: 'other', commit_message: 'm', actions: ACTIONS }],
  ['POST', `/repository/commits/${tip}/cherry_pick`, { branch: 'other' }],
  ['POST', `/repository/commits/${tip}/revert`, { branch: 'other' }],
  ['POST', '/repository/branches', { branch: 'new', ref: 'main' }],
  ['DELETE', '/repository/branches/other', {}],
  ['POST', '/repository/tags', { tag_name: 'new', ref: 'main' }],
  ['POST', '/repository/tags', { tag_name: 'new', ref: 'main', message: 'Annotated' }],
  ['DELETE', '/repository/tags/v1', {}],
];

const messageAndStatus = ({ status, body }: TestResponse) => [body?.message ?? body?.error, status];

async function state({ owner, at }: FilledProject): Promise<unknown> {
  const read = async (path: string) => (await owner.get(`${at}${path}`)).body;
  const tips = (await read('/repository/branches')).map((branch: { name: string; commit: { id: string } }) => [
    branch.name,
    branch.commit.id,
  ]);
  const names = (all: { name: string }[]) => all.map((one) => one.name);
  return [tips, names(await read('/repository/tags')), names(await read('/protected_branches'))];
}

test('an internal project is readable by all signed-in users', async () => {
  const project = await createFilledProject({ visibility: 'internal' });
  const stranger = await user();
  for (const [path] of reads(project)) {
    assert.equal((await stranger.get(project.at + path)).status, 200, path);
    assert.deepEqual(messageAndStatus(await anonymous.get(project.at + path)), ['404 Project Not Found', 404], path);
  }
});

test('a Guest and a Planner see a private project and not its code', async () => {
  const project = await createFilledProject();
  for (const access_level of [10, 15]) {
    const member = await user();
    await project.owner.post(`${project.at}/members`, { user_id: member.id, access_level });
    for (const [path] of reads(project))
      assert.deepEqual(messageAndStatus(await member.get(project.at + path)), FORBIDDEN, path);
  }
});

test('members-only code is readable by a Guest of a public project', async () => {
  const project = await createFilledProject({ visibility: 'public', repository_access_level: 'private' });
  const [guest, stranger] = [await user(), await user()];
  await project.owner.post(`${project.at}/members`, { user_id: guest.id, access_level: 10 });
  for (const [path] of reads(project)) {
    assert.equal((await guest.get(project.at + path)).status, 200, path);
    assert.equal((await root.get(project.at + path)).status, 200, path);
    for (const outside of [stranger, anonymous]) {
      assert.deepEqual(messageAndStatus(await outside.get(project.at + path)), FORBIDDEN, path);
    }
  }
});

test('a disabled repository returns 403 and its branches and commits 404, for all callers', async () => {
  const project = await createFilledProject({ visibility: 'public' });
  await project.owner.put(project.at, { repository_access_level: 'disabled' });
  for (const [path, off] of reads(project)) {
    for (const caller of [project.owner, root, anonymous]) {
      assert.deepEqual(messageAndStatus(await caller.get(project.at + path)), off, path);
    }
  }
  for (const [method, path, params] of writes(project)) {
    assert.ok([403, 404].includes((await project.owner.send(method, project.at + path, { params })).status), path);
  }
});

test('rejects invalid credentials even on public endpoints', async () => {
  const project = await createFilledProject({ visibility: 'public' });
  const wrong = withToken(project.owner, 'glpat-wrong');
  for (const [path] of reads(project)) {
    assert.equal((await anonymous.get(project.at + path)).status, 200, path);
    assert.deepEqual(messageAndStatus(await wrong.get(project.at + path)), ['401 Unauthorized', 401], path);
  }
});

test('an archived project is readable but not writable, even by administrators', async () => {
  const project = await createFilledProject();
  await project.owner.post(`${project.at}/archive`);
  const before = await state(project);
  for (const [path] of reads(project)) assert.equal((await project.owner.get(project.at + path)).status, 200, path);
  for (const caller of [project.owner, root]) {
    for (const [method, path, params] of writes(project)) {
      const answer = await caller.send(method, project.at + path, { params });
      const long = method !== 'DELETE' && /\/(?:files|commits)\b/.test(path);
      const text = long ? '403 Forbidden - You are not allowed to push into this branch' : '403 Forbidden';
      assert.deepEqual(messageAndStatus(answer), [text, 403], `${method} ${path}`);
    }
    assert.deepEqual(messageAndStatus(await caller.delete(`${project.at}/repository/merged_branches`)), FORBIDDEN);
  }
  assert.deepEqual(await state(project), before);
});

test('protection rules and the default branch of an archived project can be changed', async () => {
  const { owner, at } = await createFilledProject();
  await owner.post(`${at}/archive`);
  assert.equal((await owner.post(`${at}/protected_branches`, { name: 'x' })).status, 201);
  assert.equal((await owner.patch(`${at}/protected_branches/x`, { allow_force_push: true })).status, 200);
  assert.equal((await owner.delete(`${at}/protected_branches/x`)).status, 204);
  const { body } = await owner.put(at, { default_branch: 'other' });
  assert.deepEqual([body.default_branch, body.archived], ['other', true]);
});

test('a read-only repository is readable but not writable', async () => {
  const project = await createFilledProject();
  await root.put(project.at, { repository_read_only: true });
  const before = await state(project);
  for (const [path] of reads(project)) assert.equal((await project.owner.get(project.at + path)).status, 200, path);
  const objects = await listObjects(server, 'repositories', project.id);
  for (const caller of [project.owner, root]) {
    for (const [method, path, params] of writes(project)) {
      const answer = await caller.send(method, project.at + path, { params });
      const text = 'The repository is temporarily read-only. Please try again later.';
      assert.deepEqual(messageAndStatus(answer), [text, 400], `${method} ${path}`);
    }
  }
  assert.deepEqual(await state(project), before);
  // A storage move waits until no new objects come.
  assert.deepEqual(await listObjects(server, 'repositories', project.id), objects);
  await root.put(project.at, { repository_read_only: false });
  assert.equal((await project.owner.post(`${project.at}/repository/files/new.txt`, FILE)).status, 201);
});

test('only administrators set and see whether a repository is read-only', async () => {
  const { owner, at } = await createFilledProject();
  const ignored = await owner.put(at, { repository_read_only: true, description: 'x' });
  assert.deepEqual([ignored.status, ignored.body.repository_read_only], [200, undefined]);
  assert.equal((await root.get(at)).body.repository_read_only, false);
  assert.equal((await root.put(at, { repository_read_only: true })).body.repository_read_only, true);
  assert.equal('repository_read_only' in (await owner.get(at)).body, false);
});

test('read_api can read but not write; repository scopes grant no API access', async () => {
  const project = await createFilledProject();
  const reader = await tokenOf(project.owner, ['read_api']);
  const pusher = await tokenOf(project.owner, ['write_repository']);
  const refusal = (answer: TestResponse) => [answer.status, answer.body.error, answer.body.scope];
  for (const [path] of reads(project)) {
    assert.equal((await reader.get(project.at + path)).status, 200, path);
    const { scope, ...body } = (await pusher.get(project.at + path)).body;
    assert.deepEqual(body, {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
    });
    assert.equal(scope, path.includes('/files/') ? 'read_repository api read_api' : 'api read_api', path);
  }
  for (const [method, path, params] of writes(project)) {
    for (const caller of [reader, pusher]) {
      const answer = await caller.send(method, project.at + path, { params });
      assert.deepEqual(refusal(answer), [403, 'insufficient_scope', 'api'], path);
    }
  }
});

test('an old path redirects reads and rejects writes', async () => {
  const project = await createFilledProject();
  await project.owner.put(project.at, { path: name('moved') });
  const old = `/projects/${encodeURIComponent(project.path_with_namespace)}`;
  for (const [path] of reads(project)) {
    const answer = await project.owner.get(old + path);
    assert.equal(answer.status, 301, path);
    assert.ok(String(answer.headers.location).endsWith(`/api/v4${project.at}${path}`), answer.headers.location);
  }
  for (const [method, path, params] of writes(project)) {
    assert.equal((await project.owner.send(method, old + path, { params })).status, 405, path);
  }
});

test('JSON has a weak ETag and supports 304; raw content has none', async () => {
  const project = await createFilledProject();
  for (const [path] of reads(project)) {
    const first = await project.owner.get(project.at + path);
    assert.equal(first.headers['last-modified'], undefined, path);
    if (/\/raw|archive/.test(path)) {
      assert.equal(first.headers.etag, undefined, path);
      continue;
    }
    assert.match(String(first.headers.etag), /^W\/".+"$/, path);
    assert.equal(first.headers['cache-control'], 'max-age=0, private, must-revalidate', path);
    assert.equal(first.headers['content-type'], 'application/json', path);
    const known = { 'If-None-Match': String(first.headers.etag) };
    const second = await project.owner.get(project.at + path, {}, known);
    assert.deepEqual([second.status, second.text], [304, ''], path);
  }
});

test('a suffix belongs to the name, and an unencoded slash returns 404', async () => {
  const { project, owner } = await world({ project: {} });
  const tip = await project.commit({ 'a.json': '{}', 'dir/b.txt': 'b' });
  for (const one of ['x.json', 'x.txt', 'x/y.json']) {
    await project.point(`refs/heads/${one}`, tip);
    await project.point(`refs/tags/${one}`, tip);
    for (const kind of ['branches', 'tags']) {
      const { body, headers } = await owner.get(`${project.repository}/${kind}/${encodeURIComponent(one)}`);
      assert.deepEqual([body.name, headers['content-type']], [one, 'application/json']);
    }
    assert.equal((await owner.get(`${project.repository}/commits/${encodeURIComponent(one)}`)).body.id, tip);
  }
  assert.equal((await owner.get(`${project.repository}/files/a.json`, { ref: 'main' })).body.file_name, 'a.json');
  for (const path of ['branches/x/y.json', 'tags/x/y.json', 'files/dir/b.txt?ref=main', 'commits/x/y.json']) {
    assert.equal((await owner.get(`${project.repository}/${path}`)).status, 404, path);
  }
  // Paths are decoded exactly once.
  assert.equal((await owner.get(`${project.repository}/branches/x%252Fy.json`)).status, 404);
});

test('a write without credentials returns 401, or 404 for an invisible project', async () => {
  for (const [visibility, elsewhere] of [
    ['private', ['404 Project Not Found', 404]],
    ['public', ['401 Unauthorized', 401]],
  ] as const) {
    const project = await createFilledProject({ visibility });
    for (const [method, path, params] of writes(project)) {
      const answer = await anonymous.send(method, project.at + path, { params });
      const expected = /\/(?:files|commits)\b/.test(path) ? ['401 Unauthorized', 401] : elsewhere;
      assert.deepEqual(messageAndStatus(answer), expected, `${visibility} ${method} ${path}`);
    }
  }
});
