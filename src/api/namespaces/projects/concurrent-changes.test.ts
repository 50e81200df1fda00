import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

// Concurrent changes of a project and its namespace: the later one sees the result of the earlier one.

const ROUNDS = 8;
const AT_ONCE = 8;

const statuses = (answers: readonly TestResponse[]) => answers.map(({ status }) => status).sort();

/** Creates projects in the group while `change` is applied to it. */
async function createMeanwhile(
  owner: Caller,
  groupId: number,
  change: () => Promise<TestResponse>,
): Promise<TestResponse[]> {
  const { name } = await world();
  const create = () => owner.post('/projects', { path: name('new'), namespace_id: groupId, visibility: 'public' });
  const half = () => Array.from({ length: AT_ONCE / 2 }, create);
  return Promise.all([...half(), change(), ...half()]);
}

test('uses the new path for projects created or transferred while their group is renamed', async () => {
  const { user, name } = await world();
  const owner = await user();
  for (let round = 0; round < ROUNDS; round++) {
    const group = await newGroup({ owner });
    const { id } = await newProject({ owner });
    const path = name('renamed');
    const coming = owner.put(`/projects/${id}/transfer`, { namespace: group.id });
    const created = await createMeanwhile(owner, group.id, () => owner.put(group.at, { path }));
    assert.equal((await coming).status, 200);
    assert.deepEqual(statuses(created), [200, ...Array(AT_ONCE).fill(201)]);
    const { body } = await owner.get(`${group.at}/projects`);
    assert.equal(body.length, AT_ONCE + 1);
    for (const project of body) assert.equal(project.path_with_namespace, `${path}/${project.path}`);
  }
});

test('keeps projects at most as visible as a group that becomes private meanwhile', async () => {
  const { user } = await world();
  const owner = await user();
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await newGroup({ owner, visibility: 'public' });
    const old = await newProject({ owner, in: { id: id } });
    const opening = owner.put(old.at, { visibility: 'public' });
    await createMeanwhile(owner, id, () => owner.put(`/groups/${id}`, { visibility: 'private' }));
    await opening;
    const { visibility } = (await owner.get(`/groups/${id}`)).body;
    const { body } = await owner.get(`/groups/${id}/projects`, { visibility: 'public' });
    if (visibility === 'private') assert.deepEqual(body, []);
  }
});

test('enforces the project limit for concurrent requests', async () => {
  const { root, user, name } = await world();
  for (let round = 0; round < ROUNDS; round++) {
    const owner = await user();
    await root.put(`/users/${owner.id}`, { projects_limit: 1 });
    const create = () => owner.post('/projects', { path: name('new') });
    assert.deepEqual(statuses(await Promise.all(Array.from({ length: 4 }, create))), [201, 403, 403, 403]);
  }
});
