import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

const day = 24 * 60 * 60;

test('destroys a marked group after its grace period, not before', async () => {
  const { root, clock, runJobs } = await world();
  await root.put('/application/settings', { deletion_adjourned_period: 3 });
  const top = await newGroup({ owner: root });
  const low = await newGroup({ owner: root, name: 'low', path: 'low', in: top });
  const project = await newProject({ owner: root, name: 'p', in: low });
  const other = await newGroup({ owner: root, name: 'other' });
  await root.delete(top.at);
  await root.delete(other.at);
  await runJobs();
  clock.advance(2 * day);
  await runJobs();
  assert.equal((await root.get(top.at)).status, 200);
  await root.post(`${other.at}/restore`);
  clock.advance(day);
  await runJobs();
  for (const path of [top.at, low.at, project.at]) {
    assert.equal((await root.get(path)).status, 404, path);
  }
  assert.equal((await root.get(other.at)).status, 200);
});

/** A marked subgroup that is too large to be destroyed in a request. */
async function createLargeMarkedSubgroup() {
  const { user, runJobs } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada, visibility: 'public' });
  const large = await newGroup({ in: top, visibility: 'public' });
  const low = await newGroup({ in: large, visibility: 'public' });
  const project = await newProject({ in: low, visibility: 'public' });
  await project.addMember('developer', bob);
  for (let i = 0; i < 50; i++) await newGroup({ in: low });
  await runJobs();
  await ada.delete(large.at);
  const { full_path } = (await ada.get(large.at)).body;
  return { ada, bob, top, large, low, project, full_path };
}

test('detaches a large group and everything in it from all callers immediately', async () => {
  const { ada, bob, top, large, low, project, full_path } = await createLargeMarkedSubgroup();
  const { root, anonymous } = await world();
  const destroyed = await ada.delete(large.at, { permanently_remove: true, full_path });
  assert.equal(destroyed.status, 202);
  for (const caller of [ada, bob, anonymous]) {
    for (const { at } of [large, low, project]) assert.equal((await caller.get(at)).status, 404, at);
  }
  assert.deepEqual((await ada.get(`${top.at}/descendant_groups`)).body, []);
  assert.equal((await root.post(`${large.at}/restore`)).status, 400);
});

test('destroys a detached group in the background and records who deleted it', async () => {
  const { ada, top, large, low, project, full_path } = await createLargeMarkedSubgroup();
  const { root, runJobs, server } = await world();
  await ada.delete(large.at, { permanently_remove: true, full_path });
  await runJobs();
  for (const { at } of [large, low, project]) assert.equal((await root.get(at)).status, 404, at);
  const events = await server.services.database.reader
    .selectFrom('audit_events')
    .select('author_id')
    .where('event_name', '=', 'group_destroyed')
    .where('entity_id', '=', top.id)
    .execute();
  assert.equal(events.length, 52);
  assert.deepEqual([...new Set(events.map(({ author_id }) => author_id))], [ada.id]);
});
