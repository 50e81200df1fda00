import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { user, newProject, newGroup, root, server, runJobs } = await world();
const own = '/notification_settings';
const levelOf = async (caller: Caller, { at }: { at: string }) => (await caller.get(`${at}${own}`)).body.level;

test('deletes the setting of a former member of a project or group', async () => {
  const ada = await user();
  for (const place of [await newProject({ visibility: 'public' }), await newGroup({ visibility: 'public' })]) {
    await place.addMember('guest', ada);
    await ada.put(`${place.at}${own}`, { level: 'watch' });
    await place.owner.delete(`${place.at}/members/${ada.id}`);
    assert.equal(await levelOf(ada, place), 'global');
    await place.addMember('guest', ada);
    assert.equal(await levelOf(ada, place), 'global');
  }
});

test('keeps settings of other users and other projects and groups', async () => {
  const { project, guest, owner } = await world({ project: { with: ['guest'] } });
  const other = await newProject({ owner: root });
  await other.addMember('guest', guest);
  for (const { at } of [project, other]) await guest.put(`${at}${own}`, { level: 'watch' });
  await guest.put(own, { level: 'mention' });
  await owner.put(`${project.at}${own}`, { level: 'disabled' });
  await owner.delete(`${project.at}/members/${guest.id}`);
  assert.equal(await levelOf(guest, other), 'watch');
  assert.equal((await guest.get(own)).body.level, 'mention');
  assert.equal(await levelOf(owner, project), 'disabled');
});

test('deletes settings with their group, project or user', async () => {
  const ada = await user();
  const group = await newGroup({ owner: ada });
  const project = await newProject({ owner: ada, in: group });
  for (const path of [own, `${group.at}${own}`, `${project.at}${own}`]) await ada.put(path, { level: 'watch' });
  const left = () =>
    server.services.database.reader
      .selectFrom('notification_settings')
      .select(['project_id', 'group_id'])
      .where('user_id', '=', ada.id)
      .execute();
  await root.delete(project.at);
  await root.delete(project.at, { permanently_remove: true, full_path: await pathOf(project.at) });
  await runJobs();
  assert.deepEqual(await left(), [
    { project_id: null, group_id: null },
    { project_id: null, group_id: group.id },
  ]);
  await root.delete(`/users/${ada.id}`, { hard_delete: true });
  await runJobs();
  assert.deepEqual(await left(), []);
});

const pathOf = async (at: string) => (await root.get(at)).body.path_with_namespace;

test('shows the caller’s own levels in projects, including that of the group', async () => {
  const group = await newGroup({ owner: await user() });
  const subgroup = await newGroup({ in: group });
  const project = await newProject({ in: subgroup, owner: group.owner });
  const ada = await group.addMember('reporter');
  await project.addMember('maintainer', ada);
  await subgroup.addMember('developer', ada);
  await ada.put(`${project.at}${own}`, { level: 'watch' });
  await ada.put(`${group.at}${own}`, { level: 'disabled' });
  await ada.put(`${subgroup.at}${own}`, { level: 'custom' });
  const expected = {
    project_access: { access_level: 40, notification_level: 2 },
    group_access: { access_level: 30, notification_level: 5 },
  };
  assert.deepEqual((await ada.get(project.at)).body.permissions, expected);
  const [listed] = (await ada.get('/projects', { search: project.name, membership: true })).body;
  assert.deepEqual(listed.permissions, expected);
  const { group_access } = (await group.owner.get(project.at)).body.permissions;
  assert.deepEqual(group_access, { access_level: 50, notification_level: 3 });
});
