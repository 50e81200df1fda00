import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Project, world } from '#test/support/world.ts';

const { newProject } = await world();

const paths = (answer: { body: { path: string }[] }) => answer.body.map(({ path }) => path);
const rels = (link: unknown) => [...String(link ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel);

test('lists folders before files, by name, with id, mode and path', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'z/deep/x.txt': 'x', 'a.txt': 'same', 'B.txt': 'same', 'folder/c.sh': 'c' });
  const { status, body, headers } = await owner.get(`${project.repository}/tree`);
  assert.equal(status, 200);
  assert.deepEqual(
    body.map(({ id, ...entry }: { id: string }) => [/^[0-9a-f]{40}$/.test(id), entry]),
    [
      [true, { name: 'folder', type: 'tree', path: 'folder', mode: '040000' }],
      [true, { name: 'z', type: 'tree', path: 'z', mode: '040000' }],
      [true, { name: 'B.txt', type: 'blob', path: 'B.txt', mode: '100644' }],
      [true, { name: 'a.txt', type: 'blob', path: 'a.txt', mode: '100644' }],
    ],
  );
  assert.deepEqual([headers['x-total'], rels(headers.link)], ['4', ['first', 'last']]);
  assert.deepEqual(paths(await owner.get(`${project.repository}/tree`, { path: 'z' })), ['z/deep']);
  assert.deepEqual(paths(await owner.get(`${project.repository}/tree`, { path: '/z/deep/' })), ['z/deep/x.txt']);
  const whole = await owner.get(`${project.repository}/tree`, { recursive: true });
  assert.deepEqual(paths(whole), ['folder', 'z', 'z/deep', 'B.txt', 'a.txt', 'folder/c.sh', 'z/deep/x.txt']);
  assert.equal(whole.body.at(-1).name, 'x.txt');
  assert.deepEqual(paths(await owner.get(`${project.repository}/tree`, { recursive: true, path: 'z' })), [
    'z/deep',
    'z/deep/x.txt',
  ]);
});

test('reports unknown refs and paths', async () => {
  const empty = await newProject();
  const noTree = { message: '404 Tree Not Found' };
  assert.deepEqual((await empty.owner.get(`${empty.repository}/tree`)).body, noTree);
  const { owner, repository, commit } = await newProject();
  await commit({ 'a.txt': 'a' });
  const cases = [
    [{ ref: 'nowhere' }, 404, noTree],
    [{ ref: '-x' }, 404, noTree],
    [{ path: 'nowhere' }, 404, { message: '404 invalid revision or path Not Found' }],
    [{ path: 'a.txt' }, 404, { message: '404 invalid revision or path Not Found' }],
    [{ path: '../a' }, 404, { message: '404 invalid revision or path Not Found' }],
    [{ pagination: 'none' }, 400, { error: 'pagination cannot be "none" unless "recursive" is true' }],
    [{ pagination: 'none', recursive: 'no' }, 400, { error: 'pagination cannot be "none" unless "recursive" is true' }],
    [{ pagination: 'odd' }, 400, { error: 'pagination does not have a valid value' }],
    [{ pagination: 'keyset', page_token: 'f'.repeat(40) }, 400, { error: 'page_token is invalid' }],
    [{ pagination: 'keyset', page_token: 'x' }, 400, { error: 'page_token is invalid' }],
  ] as const;
  for (const [params, status, body] of cases) {
    const answer = await owner.get(`${repository}/tree`, params);
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(params));
  }
  assert.equal(
    (await owner.get(`${repository}/tree`, { ref: ' ' })).status,
    200,
    'a blank ref means the default branch',
  );
});

/** Follows the next links of keyset pages to the end. */
async function collectPages({ owner, repository }: Project, params: object): Promise<string[]> {
  const seen: string[] = [];
  let path = `${repository}/tree?${new URLSearchParams(params as Record<string, string>)}`;
  for (let page = 0; page < 50; page += 1) {
    const answer = await owner.get(path);
    assert.equal(answer.status, 200, answer.text);
    seen.push(...paths(answer));
    assert.equal(answer.headers['x-page'], undefined);
    const next = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''));
    if (next === null) {
      assert.equal(answer.headers.link, undefined);
      return seen;
    }
    path = `${repository}/tree${new URL(next[1]!).search}`;
  }
  return assert.fail('the pages never end');
}

test('returns each entry once in keyset pages, including equal files', async () => {
  const project = await newProject();
  const same = Object.fromEntries(Array.from({ length: 7 }, (_, place) => [`same-${place}`, 'equal']));
  await project.commit({ ...same, 'dir/same': 'equal', 'other.txt': 'other' });
  for (const recursive of [true, false]) {
    const params = { recursive, per_page: '2', pagination: 'keyset' };
    const whole = paths(await project.owner.get(`${project.repository}/tree`, { recursive, per_page: 100 }));
    assert.deepEqual(await collectPages(project, params), whole);
  }
  const { owner, repository } = project;
  const [first] = (await owner.get(`${repository}/tree`)).body;
  const behind = await owner.get(`${repository}/tree`, { pagination: 'keyset', page_token: first.id, per_page: 1 });
  assert.deepEqual(paths(behind), ['other.txt'], 'accepts the id of an entry as a token');
  const shared = (await owner.get(`${repository}/files/same-0`, { ref: 'main' })).body.blob_id;
  const ambiguous = await owner.get(`${repository}/tree`, { pagination: 'keyset', page_token: shared });
  const error = 'page_token is ambiguous: follow the header Link';
  assert.deepEqual([ambiguous.status, ambiguous.body], [400, { error }], 'the walk would never end');
});

test('supports offset pages and the whole tree', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a/1': '1', 'a/2': '2', 'b/3': '3' });
  const second = await owner.get(`${project.repository}/tree`, { recursive: true, per_page: 2, page: 2 });
  assert.deepEqual(paths(second), ['a/1', 'a/2']);
  assert.deepEqual(
    [second.headers['x-total'], second.headers['x-total-pages'], second.headers['x-next-page']],
    ['5', '3', '3'],
  );
  const whole = await owner.get(`${project.repository}/tree`, { recursive: true, per_page: 2, pagination: 'none' });
  assert.equal(whole.body.length, 5);
  assert.deepEqual([whole.headers['x-total'], whole.headers.link], [undefined, undefined]);
});

test('returns the current tree, and 403 or 404 to callers who may not read code', async () => {
  const { project, owner, user, anonymous } = await world({ project: { visibility: 'public' } });
  await project.commit({ a: 'a' });
  assert.deepEqual(paths(await anonymous.get(`${project.repository}/tree`)), ['a']);
  await project.commit({ b: 'b' });
  assert.deepEqual(paths(await anonymous.get(`${project.repository}/tree`)), ['a', 'b']);
  await owner.put(project.at, { repository_access_level: 'disabled' });
  const refused = await (await user()).get(`${project.repository}/tree`);
  assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
});
