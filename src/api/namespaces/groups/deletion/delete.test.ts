import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markHistory, recordedSince } from '#activity/index.ts';
import { type Caller, type Group, world } from '#test/support/world.ts';

const at = (path: string) => encodeURIComponent(path);

test('deletion is delayed: the path is free at once', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const project = await here.newProject({ in: low });
  await top.add('developer', bob);
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

test('a marked group comes back to its name and path, archived if it was', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const project = await here.newProject({ in: top });
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

test('a marked group whose path is taken meanwhile comes back with five letters or digits behind name and path', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const project = await here.newProject({ in: top });
  await ada.delete(top.at);
  await here.newGroup({ owner: ada, path: top.path.toUpperCase() });
  const restored = await ada.post(`${top.at}/restore`);
  const { path, name } = restored.body;
  assert.equal(restored.status, 201, restored.text);
  assert.match(path, new RegExp(`^${top.path}-[a-z0-9]{5}$`));
  assert.equal(name, `${top.name}${path.slice(-6)}`);
  assert.equal((await ada.get(project.at)).body.path_with_namespace, `${path}/${project.path}`);
});

test('below a marked group there is nothing to restore', async () => {
  const { group: top, owner } = await world({ group: {} });
  const low = await (await world()).newGroup({ in: top });
  await owner.delete(top.at);
  const refused = await owner.post(`${low.at}/restore`);
  assert.deepEqual([refused.status, refused.body], [400, { message: 'Group has not been marked for deletion' }]);
});

const destroy = (ada: Caller, group: Group, full_path?: string) =>
  ada.delete(`/groups/${group.id}`, { permanently_remove: true, full_path });

test('nothing but a marked subgroup is destroyed at once, and only by its exact path', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
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

/** A marked subgroup with another one and a project in it. */
async function givenMarked() {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const lowest = await here.newGroup({ in: low });
  const project = await here.newProject({ in: lowest });
  await ada.delete(low.at);
  const { full_path } = (await ada.get(low.at)).body;
  return { ada, top, low, lowest, project, full_path, reader: here.server.services.database.reader };
}

test('a marked subgroup that is destroyed takes all below it along', async () => {
  const { ada, top, low, lowest, project, full_path, reader } = await givenMarked();
  assert.equal((await destroy(ada, low, full_path)).status, 202);
  for (const path of [low.at, lowest.at, project.at]) assert.equal((await ada.get(path)).status, 404);
  assert.equal((await ada.get(top.at)).status, 200);
  const left = await reader
    .selectFrom('memberships')
    .select('id')
    .where('source_id', 'in', [low.id, lowest.id])
    .where('source_type', '=', 'group')
    .execute();
  assert.deepEqual(left, []);
});

test('each subgroup that is destroyed has an event in the group above all of them', async () => {
  const { ada, top, low, full_path, reader } = await givenMarked();
  const mark = await markHistory(reader);
  assert.equal((await destroy(ada, low, full_path)).status, 202);
  assert.deepEqual(await recordedSince(reader, mark), ['project_destroyed', 'group_destroyed', 'group_destroyed']);
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
