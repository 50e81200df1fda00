import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Group, type TestResponse, world } from '#test/support/world.ts';

/** A group with a subgroup that has a project. */
async function createGroupTree() {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const project = await testWorld.newProject({ in: low, readme: true });
  return { here: testWorld, ada, top, low, project };
}

const statusAndMessage = ({ status, body }: TestResponse) => [status, body.message];
const archive = (caller: Caller, { at }: { at: string }) => caller.post(`${at}/archive`);
const unarchive = (caller: Caller, { at }: { at: string }) => caller.post(`${at}/unarchive`);
const isArchived = async (caller: Caller, { at }: { at: string }) => (await caller.get(at)).body.archived;

test('rejects archiving an archived group and unarchiving one that is not', async () => {
  const { ada, top } = await createGroupTree();
  assert.deepEqual(statusAndMessage(await unarchive(ada, top)), [422, 'Group is already unarchived!']);
  const archived = await archive(ada, top);
  assert.deepEqual([archived.status, archived.body.archived], [200, true]);
  assert.deepEqual(statusAndMessage(await archive(ada, top)), [422, 'Group is already archived!']);
  assert.equal((await unarchive(ada, top)).body.archived, false);
});

test('archives everything below an archived group while it is archived', async () => {
  const { ada, top, low, project } = await createGroupTree();
  await archive(ada, top);
  for (const place of [top, low, project]) assert.equal(await isArchived(ada, place), true, place.at);
  assert.equal((await ada.get(`${top.at}/subgroups`)).body[0].archived, true);
  assert.equal((await ada.get(`${low.at}/projects`)).body[0].archived, true);
  await unarchive(ada, top);
  for (const place of [top, low, project]) assert.equal(await isArchived(ada, place), false, place.at);
});

test('rejects archiving and unarchiving below an archived group', async () => {
  const { ada, top, low, project } = await createGroupTree();
  await archive(ada, project);
  await archive(ada, low);
  await archive(ada, top);
  assert.deepEqual(statusAndMessage(await archive(ada, low)), [422, 'Group is already archived!']);
  assert.deepEqual(statusAndMessage(await archive(ada, project)), [400, 'Project is already archived.']);
  const groups = 'Cannot unarchive group since one of the ancestor groups is archived!';
  assert.deepEqual(statusAndMessage(await unarchive(ada, low)), [422, groups]);
  const projects = 'Cannot unarchive project since one of the ancestors is archived.';
  assert.deepEqual(statusAndMessage(await unarchive(ada, project)), [400, projects]);
});

test('keeps groups below an archived group unarchived themselves', async () => {
  const { ada, top, low, project } = await createGroupTree();
  await archive(ada, top);
  const groups = 'Cannot archive group since one of the ancestor groups is already archived!';
  assert.deepEqual(statusAndMessage(await archive(ada, low)), [422, groups]);
  const projects = 'Cannot archive project since one of the ancestors is already archived.';
  assert.deepEqual(statusAndMessage(await archive(ada, project)), [400, projects]);
});

test('rejects archiving while the group or a parent is scheduled for deletion', async () => {
  const { ada, top, low, project } = await createGroupTree();
  await ada.delete(top.at);
  const text = 'Cannot archive group since it is scheduled for deletion.';
  assert.deepEqual(statusAndMessage(await archive(ada, top)), [422, text]);
  assert.deepEqual(statusAndMessage(await archive(ada, low)), [422, text]);
  const refused = await archive(ada, project);
  assert.deepEqual(statusAndMessage(refused), [400, 'Cannot archive project since it is scheduled for deletion.']);
  assert.equal(await isArchived(ada, project), false);
});

/** Tries to add a subgroup and a project to a group, and to transfer each; returns the statuses. */
async function tryToAddContent(
  { here, ada }: Awaited<ReturnType<typeof createGroupTree>>,
  group: Group,
): Promise<unknown[]> {
  const [other, project] = [await here.newGroup({ owner: ada }), await here.newProject({ owner: ada })];
  const path = here.name('new');
  const subgroup = await ada.post('/groups', { name: path, path, parent_id: group.id });
  const created = await ada.post('/projects', { path, namespace_id: group.id });
  const moved = await ada.post(`${other.at}/transfer`, { group_id: group.id });
  const movedProject = await ada.put(`${project.at}/transfer`, { namespace: group.id });
  return [subgroup.status, created.body.message, moved.body.message, movedProject.body.message];
}

const NOTHING = [
  403,
  { namespace: ['is not valid'] },
  "Transfer failed: You don't have enough permissions.",
  'Failed to transfer project {:new_namespace=>["You don\'t have permission to transfer projects into that namespace."]}',
];

test('rejects new content in an archived group, below it, and transfers from it', async () => {
  const tree = await createGroupTree();
  const { ada, top, low, project } = tree;
  await archive(ada, top);
  for (const group of [top, low]) assert.deepEqual(await tryToAddContent(tree, group), NOTHING, group.full_path);
  assert.deepEqual(statusAndMessage(await ada.post(`${low.at}/transfer`)), [403, '403 Forbidden']);
  assert.deepEqual(statusAndMessage(await ada.put(`${project.at}/transfer`, { namespace: ada.username })), [
    403,
    '403 Forbidden',
  ]);
  const byRoot = await tree.here.root.post(
    `/groups/${(await tree.here.newGroup({ owner: ada })).id}/projects/${project.id}`,
  );
  assert.equal(byRoot.status, 403);
});

test('rejects new content in a group that is scheduled for deletion, and archiving', async () => {
  const tree = await createGroupTree();
  const { ada, top, low, project } = tree;
  await ada.delete(top.at);
  for (const group of [top, low]) assert.deepEqual(await tryToAddContent(tree, group), NOTHING, group.full_path);
  for (const place of [top, low, project]) assert.equal(await isArchived(ada, place), false, place.at);
  assert.equal((await ada.post(`${project.at}/repository/branches`, { branch: 'x', ref: 'main' })).status, 201);
});

test('rejects commits below an archived group but allows changes of members and attributes', async () => {
  const { here, ada, top, low, project } = await createGroupTree();
  const bob = await here.user();
  await archive(ada, top);
  assert.equal((await ada.post(`${project.at}/repository/branches`, { branch: 'x', ref: 'main' })).status, 403);
  assert.equal((await ada.get(project.at)).body.can_create_merge_request_in, false);
  for (const { at } of [low, project]) {
    assert.equal((await ada.post(`${at}/members`, { user_id: bob.id, access_level: 30 })).status, 201);
    assert.equal((await ada.put(at, { description: 'Kept' })).body.description, 'Kept');
    assert.equal((await ada.delete(at)).status, 202);
    assert.equal((await ada.post(`${at}/restore`)).status, 201);
  }
});
