import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';

const here = await world();
const { newProject, root, server } = here;
const { database } = server.services;

/** Returns the ids of a project's owner's projects. */
async function ids(caller: Caller, { owner }: Project, params: Record<string, unknown>): Promise<number[]> {
  const { status, body, text } = await caller.get(`/users/${owner.id}/projects`, params);
  assert.equal(status, 200, text);
  return body.map(({ id }: { id: number }) => id);
}

test('filters by failed checksums for administrators only', async () => {
  const [intact, broken] = [await newProject({ readme: true }), await newProject({ readme: true })];
  await broken.owner.post(`${broken.at}/wikis`, { title: 'Home', content: 'x' });
  for (const [name, parameter] of [
    ['project_repository', 'repository_checksum_failed'],
    ['project_wiki_repository', 'wiki_checksum_failed'],
  ] as const) {
    assert.deepEqual(await ids(root, broken, { [parameter]: true }), []);
    await database.transaction(async (tx) => {
      const wiki = await tx
        .selectFrom('wikis')
        .select('wiki_id')
        .where('project_id', '=', broken.id)
        .executeTakeFirst();
      const checksum = { version: '1', checksum: null, checked_at: tx.now };
      const ref = { replicable_name: name, replicable_id: name === 'project_repository' ? broken.id : wiki!.wiki_id };
      await tx
        .insertInto('geo_checksums')
        .values({ ...ref, ...checksum })
        .execute();
    });
    assert.deepEqual(await ids(root, broken, { [parameter]: true }), [broken.id]);
    assert.deepEqual(await ids(root, intact, { [parameter]: true }), []);
    assert.deepEqual(await ids(intact.owner, intact, { [parameter]: true }), [intact.id]);
    assert.deepEqual(await ids(root, intact, { [parameter]: false }), [intact.id]);
  }
});

test('orders by sizes for administrators only, the others by time of creation', async () => {
  const owner = await here.user();
  const [code, wiki, lfs] = [await newProject({ owner }), await newProject({ owner }), await newProject({ owner })];
  const snippets = await newProject({ owner });
  const noise = randomBytes(30_000).toString('base64');
  await code.commit({ 'a.txt': noise.slice(0, 20_000) });
  await owner.post(`${wiki.at}/wikis`, { title: 'Home', content: noise.slice(0, 30_000) });
  await lfs.commit({ '.gitattributes': '*.bin filter=lfs\n' });
  const file = { branch: 'main', content: 'x'.repeat(100_000), commit_message: 'x' };
  assert.equal((await owner.post(`${lfs.repository}/files/a.bin`, file)).status, 201);
  const snippet = { title: 'x', visibility: 'private', file_name: 'a.txt', content: noise.slice(0, 38_000) };
  assert.equal((await owner.post(`${snippets.at}/snippets`, snippet)).status, 201);
  here.clock.advance(3600);
  await here.runJobs();
  for (const [order_by, expected] of [
    ['repository_size', [code, lfs, snippets, wiki]],
    ['wiki_size', [wiki, snippets, lfs, code]],
    ['storage_size', [lfs, snippets, wiki, code]],
    ['packages_size', [snippets, lfs, wiki, code]],
  ] as const) {
    const expectedIds = expected.map(({ id }) => id);
    assert.deepEqual(await ids(root, code, { order_by }), expectedIds, order_by);
    assert.deepEqual(await ids(root, code, { order_by, sort: 'asc' }), expectedIds.toReversed(), order_by);
    assert.deepEqual(await ids(owner, code, { order_by }), [snippets.id, lfs.id, wiki.id, code.id], order_by);
  }
});

test('matches nothing by language, because languages are not detected', async () => {
  const project = await newProject({ readme: true });
  assert.deepEqual(await ids(project.owner, project, { with_programming_language: 'Ruby' }), []);
  assert.deepEqual(await ids(project.owner, project, { with_programming_language: '' }), [project.id]);
});

test('lists the same projects with hidden ones and those being deleted', async () => {
  const project = await newProject();
  assert.deepEqual(await ids(root, project, { include_hidden: true, include_pending_delete: true }), [project.id]);
  const { status, body } = await root.get('/projects', { include_hidden: 'maybe' });
  assert.deepEqual([status, body], [400, { error: 'include_hidden is invalid' }]);
});
