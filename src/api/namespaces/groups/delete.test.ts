import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { type Caller, type Group, world } from '#test/support/world.ts';

const at = (path: string) => encodeURIComponent(path);

test('delays the deletion and frees the path immediately', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const project = await testWorld.newProject({ in: low });
  await top.addMember('developer', bob);
  const deleted = await ada.delete(top.at);
  assert.deepEqual([deleted.status, deleted.body], [202, { message: '202 Accepted' }]);
  const marked = (await bob.get(top.at)).body;
  const path = `${top.path}-deletion_scheduled-${top.id}`;
  assert.deepEqual(
    [marked.full_path, marked.name, marked.archived, marked.marked_for_deletion_on],
    [path, `${top.name}-deletion_scheduled-${top.id}`, false, '2026-01-02'],
  );
  assert.equal((await ada.get(project.at)).body.path_with_namespace, `${path}/${low.path}/${project.path}`);
  assert.deepEqual((await ada.delete(top.at)).body, {
    message: 'Group has already been marked for deletion',
  });
  assert.equal((await ada.delete(low.at)).status, 202);
  assert.equal((await ada.get(low.at)).body.marked_for_deletion_on, null);
});

test('restores the name and path of a marked group, and its archived state', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const project = await testWorld.newProject({ in: top });
  await ada.post(`${top.at}/archive`);
  await ada.delete(top.at);
  const restored = await ada.post(`${top.at}/restore`);
  const { full_path, name, archived, marked_for_deletion_on } = restored.body;
  assert.deepEqual(
    [restored.status, full_path, name, archived, marked_for_deletion_on],
    [201, top.path, top.name, true, null],
  );
  assert.equal((await ada.get(`/projects/${at(project.path_with_namespace)}`)).body.id, project.id);
});

test('appends five characters to name and path if the former path is taken', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const project = await testWorld.newProject({ in: top });
  await ada.delete(top.at);
  await testWorld.newGroup({ owner: ada, path: top.path.toUpperCase() });
  const restored = await ada.post(`${top.at}/restore`);
  const { path, name } = restored.body;
  assert.equal(restored.status, 201, restored.text);
  assert.match(path, new RegExp(`^${top.path}-[a-z0-9]{5}$`));
  assert.equal(name, `${top.name}${path.slice(-6)}`);
  assert.equal((await ada.get(project.at)).body.path_with_namespace, `${path}/${project.path}`);
});

test('does not restore groups below a marked group', async () => {
  const { group: top, owner } = await world({ group: {} });
  const low = await (await world()).newGroup({ in: top });
  await owner.delete(top.at);
  const refused = await owner.post(`${low.at}/restore`);
  assert.deepEqual([refused.status, refused.body], [400, { message: 'Group has not been marked for deletion' }]);
});

const destroy = (ada: Caller, group: Group, full_path?: string) =>
  ada.delete(`/groups/${group.id}`, { permanently_remove: true, full_path });

test('destroys only marked subgroups immediately, and only with their exact path', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  assert.deepEqual((await destroy(ada, top, top.path)).body, {
    message: '`permanently_remove` option is only available for subgroups.',
  });
  assert.deepEqual((await destroy(ada, low, low.full_path)).body, {
    message: 'Group must be marked for deletion first.',
  });
  await ada.delete(low.at);
  const wrong = '`full_path` is incorrect. You must enter the complete path for the subgroup.';
  assert.deepEqual((await destroy(ada, low, low.full_path)).body, { message: wrong });
  assert.deepEqual((await destroy(ada, low)).body, { message: wrong });
});

/** A marked subgroup with a subgroup and a project. */
async function createMarkedSubgroup() {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const lowest = await testWorld.newGroup({ in: low });
  const project = await testWorld.newProject({ in: lowest });
  await ada.delete(low.at);
  const { full_path } = (await ada.get(low.at)).body;
  return { ada, top, low, lowest, project, full_path, reader: testWorld.server.services.database.reader };
}

test('destroys everything below a destroyed subgroup', async () => {
  const { ada, top, low, lowest, project, full_path, reader } = await createMarkedSubgroup();
  assert.equal((await destroy(ada, low, full_path)).status, 202);
  for (const path of [low.at, lowest.at, project.at]) assert.equal((await ada.get(path)).status, 404);
  assert.equal((await ada.get(top.at)).status, 200);
  const remaining = await reader
    .selectFrom('memberships')
    .select('id')
    .where('source_id', 'in', [low.id, lowest.id])
    .where('source_type', '=', 'group')
    .execute();
  assert.deepEqual(remaining, []);
});

test('records an event in the root group for each destroyed subgroup', async () => {
  const { ada, top, low, full_path, reader } = await createMarkedSubgroup();
  const mark = await markRecordedEvents(reader);
  assert.equal((await destroy(ada, low, full_path)).status, 202);
  assert.deepEqual(await listRecordedSince(reader, mark), ['project_destroyed', 'group_destroyed', 'group_destroyed']);
  const events = await reader
    .selectFrom('audit_events')
    .select('entity_id')
    .where('id', '>', mark.audit_events)
    .where('event_name', '=', 'group_destroyed')
    .execute();
  assert.deepEqual(
    events.map(({ entity_id }) => entity_id),
    [top.id, top.id],
  );
});
