import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Group, world } from '#test/support/world.ts';

const at = (path: string) => encodeURIComponent(path);

test('transfers a group with its contents and lowers visibility that is too high', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const target = await testWorld.newGroup({ owner: ada });
  const top = await testWorld.newGroup({ owner: ada, visibility: 'public' });
  const low = await testWorld.newGroup({ in: top, visibility: 'public' });
  const project = await testWorld.newProject({ in: low, visibility: 'public' });
  const moved = await ada.post(`${top.at}/transfer`, { group_id: target.id });
  assert.deepEqual(
    [moved.status, moved.body.full_path, moved.body.visibility, moved.body.parent_id],
    [201, `${target.path}/${top.path}`, 'private', target.id],
  );
  assert.equal((await ada.get(low.at)).body.visibility, 'private');
  const result = (await ada.get(project.at)).body;
  assert.deepEqual(
    [result.visibility, result.path_with_namespace],
    ['private', `${target.path}/${project.path_with_namespace}`],
  );
  assert.equal((await ada.get(`/projects/${at(project.path_with_namespace)}`)).status, 301);
  const below = await ada.get(`${target.at}/descendant_groups`);
  assert.equal(below.body.length, 2);
  const back = await ada.post(`${top.at}/transfer`);
  assert.deepEqual([back.body.full_path, back.body.parent_id], [top.path, null]);
  assert.equal((await ada.get(`${target.at}/descendant_groups`)).body.length, 0);
});

test('records every visibility that a transfer lowers', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const target = await testWorld.newGroup({ owner: ada, visibility: 'internal' });
  const top = await testWorld.newGroup({ owner: ada, visibility: 'public' });
  const low = await testWorld.newGroup({ in: top, visibility: 'private' });
  const project = await testWorld.newProject({ in: top, visibility: 'public' });
  const spared = await testWorld.newProject({ in: top, visibility: 'internal' });
  await ada.post(`${top.at}/transfer`, { group_id: target.id });
  const lowerings = async (kind: 'Group' | 'Project', { id }: { id: number }) => {
    const { body } = await testWorld.root.get('/audit_events', { entity_type: kind, entity_id: id });
    const events: { event_name: string; author_id: number; details: Record<string, unknown> }[] = body;
    return events
      .filter(({ event_name }) => event_name === `${kind.toLowerCase()}_visibility_level_updated`)
      .map(({ author_id, details }) => [author_id, details.custom_message, details.target_details]);
  };
  const message = 'Changed visibility_level from Public to Internal';
  const path = `${target.path}/${top.path}`;
  assert.deepEqual(await lowerings('Group', top), [[ada.id, message, path]]);
  assert.deepEqual(await lowerings('Project', project), [[ada.id, message, `${path}/${project.path}`]]);
  assert.deepEqual(await lowerings('Group', low), []);
  assert.deepEqual(await lowerings('Project', spared), []);
});

test('rejects invalid transfers', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const twin = await testWorld.newGroup({ owner: ada, path: low.path });
  const bobs = await testWorld.newGroup({ owner: bob, visibility: 'public' });
  const hidden = await testWorld.newGroup({ owner: bob });
  const refused: [group: Group, group_id: number | undefined, text: string][] = [
    [top, undefined, 'Group is already a root group.'],
    [low, top.id, 'Group is already associated to the parent group.'],
    [top, low.id, 'Cannot transfer group to one of its subgroup.'],
    [top, top.id, 'Cannot transfer group to one of its subgroup.'],
    [low, undefined, 'The parent group already has a subgroup or a project with the same path.'],
    [twin, top.id, 'The parent group already has a subgroup or a project with the same path.'],
    [low, bobs.id, "You don't have enough permissions."],
  ];
  for (const [group, group_id, text] of refused) {
    const { status, body } = await ada.post(`/groups/${group.id}/transfer`, { group_id });
    assert.deepEqual([status, body], [400, { message: `Transfer failed: ${text}` }]);
  }
  assert.equal((await ada.post(`${low.at}/transfer`, { group_id: hidden.id })).status, 404);
  assert.equal((await ada.get(low.at)).body.full_path, low.full_path);
});
