import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { root, clock, newGroup, newProject } = await world();

const names = (events: readonly { event_name: string }[]) => events.map(({ event_name }) => event_name);

test('returns only events of the group itself', async () => {
  const group = await newGroup({ owner: root });
  const sub = await newGroup({ in: group });
  await newProject({ in: group });
  const { body } = await root.get(`${group.at}/audit_events`);
  assert.deepEqual(names(body), ['group_created']);
  const [own] = body;
  assert.equal((await root.get(`${group.at}/audit_events/${own.id}`)).body.id, own.id);
  const elsewhere = await root.get(`${sub.at}/audit_events/${own.id}`);
  assert.deepEqual([elsewhere.status, elsewhere.body], [404, { message: '404 Not found' }]);
});

test('filters by type, id and time, inclusively', async () => {
  const project = await newProject({ owner: root });
  clock.advance(60);
  await root.put(project.at, { description: 'one' });
  const at = clock.now().toISOString();
  clock.advance(60);
  await root.put(project.at, { description: 'two' });
  const filter = { entity_type: 'Project', entity_id: project.id };
  const found = async (more: Record<string, unknown>) =>
    names((await root.get('/audit_events', { ...filter, ...more })).body);
  const updated = 'project_description_updated';
  assert.deepEqual(await found({}), [updated, updated, 'project_created']);
  assert.deepEqual(await found({ created_after: at }), [updated, updated]);
  assert.deepEqual(await found({ created_before: at }), [updated, 'project_created']);
  assert.deepEqual(await found({ created_after: at, created_before: at }), [updated]);
  const error = async (params: Record<string, unknown>) => (await root.get('/audit_events', params)).body.error;
  assert.equal(await error({ entity_id: 1 }), 'entity_type is missing');
  assert.equal(await error({ entity_type: 'Wrong' }), 'entity_type does not have a valid value');
  assert.equal(await error({ created_after: 'yesterday' }), 'created_after is invalid');
});

test('pages by number with totals', async () => {
  const project = await newProject({ owner: root });
  await root.put(project.at, { description: 'one' });
  const { headers, body } = await root.get(`${project.at}/audit_events`, { per_page: 1, page: 2 });
  assert.deepEqual([body.length, headers['x-total'], headers['x-total-pages']], [1, '2', '2']);
});
