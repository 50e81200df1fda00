import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { root, anonymous, user, tokenOf, newGroup, newProject } = await world();

const names = (events: readonly { event_name: string }[]) => events.map(({ event_name }) => event_name);

test("returns author, action and target of an event, with the author's address", async () => {
  const { project, owner: author } = await world({ project: {} });
  const { body } = await author.get(`/projects/${project.id}/audit_events`);
  assert.deepEqual(names(body), ['project_created']);
  const [event] = body;
  assert.deepEqual(
    [event.author_id, event.entity_type, event.entity_id, event.details.custom_message, event.details.author_email],
    [author.id, 'Project', project.id, 'Added project', `${author.username}@hearth.test`],
  );
  const changed = { email: `${author.username}@new.test`, skip_reconfirmation: true };
  assert.equal((await root.put(`/users/${author.id}`, changed)).status, 200);
  const again = await root.get(`/projects/${project.id}/audit_events/${event.id}`);
  assert.equal(again.body.details.author_email, changed.email);
  assert.deepEqual((await root.get(`/audit_events/${event.id}`)).body, again.body);
});

test('returns the instance log to administrators only', async () => {
  const stranger = await user();
  for (const path of ['/audit_events', '/audit_events/1', '/audit_events?entity_type=wrong']) {
    assert.deepEqual((await anonymous.get(path)).body, { message: '401 Unauthorized' });
    const refusal = await stranger.get(path);
    assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden' }]);
  }
  assert.equal((await (await tokenOf(root, ['read_api'])).get('/audit_events')).status, 200);
  assert.equal((await (await tokenOf(root, ['read_user'])).get('/audit_events')).status, 403);
});

test('returns the log of a group or project to its permitted readers', async () => {
  const group = await newGroup({ owner: root });
  const project = await newProject({ in: group });
  const inGroup = group.at;
  const inProject = project.at;
  const reporter = await group.addMember('reporter');
  const developer = await group.addMember('developer');
  const maintainer = await group.addMember('maintainer');
  const owner = await group.addMember('owner');
  const stranger = await user();
  await owner.put(inGroup, { description: 'changed' });
  await maintainer.put(inProject, { description: 'changed' });
  const seen = async (caller: Caller, path: string) => {
    const { status, body } = await caller.get(`${path}/audit_events`, { per_page: 100 });
    return status === 200 ? new Set(body.map((event: { author_id: number }) => event.author_id)) : status;
  };
  assert.deepEqual(await seen(anonymous, inGroup), 401);
  assert.deepEqual(await seen(stranger, inGroup), 404);
  assert.deepEqual(await seen(reporter, inGroup), 403);
  assert.deepEqual(await seen(developer, inGroup), new Set());
  assert.deepEqual(await seen(maintainer, inGroup), new Set());
  assert.deepEqual(await seen(owner, inGroup), new Set([1, owner.id]));
  assert.deepEqual(await seen(anonymous, inProject), 401);
  assert.deepEqual(await seen(stranger, inProject), 404);
  assert.deepEqual(await seen(reporter, inProject), 403);
  assert.deepEqual(await seen(developer, inProject), new Set());
  assert.deepEqual(await seen(maintainer, inProject), new Set([1, maintainer.id]));
  assert.equal(await seen(stranger, (await newGroup({ owner: root, visibility: 'public' })).at), 403);
  assert.equal(await seen(stranger, (await newProject({ owner: root, visibility: 'public' })).at), 403);
});

test('returns 400 for an invalid id and 404 for an unknown one', async () => {
  const group = await newGroup({ owner: root });
  const project = await newProject({ owner: root });
  for (const [path, parameter] of [
    ['/audit_events', 'id'],
    [`${group.at}/audit_events`, 'audit_event_id'],
    [`${project.at}/audit_events`, 'audit_event_id'],
  ]) {
    assert.deepEqual((await root.get(`${path}/x1`)).body, { error: `${parameter} is invalid` });
    for (const id of [0, -1, 999_999_999, '99999999999999999999']) {
      const answer = await root.get(`${path}/${id}`);
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not found' }]);
    }
  }
});

test('returns 404 to a Developer for events of others', async () => {
  const project = await newProject({ owner: root });
  const developer = await project.addMember('developer');
  const [event] = (await root.get(`${project.at}/audit_events`)).body;
  assert.equal((await developer.get(`${project.at}/audit_events/${event.id}`)).status, 404);
});

test('returns 403 and records no events on tier free', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const { at } = await free.newProject({ owner: free.root });
  for (const path of ['/audit_events', '/audit_events/1', `${at}/audit_events`]) {
    assert.deepEqual((await free.root.get(path)).body, { message: '403 Forbidden' });
  }
  const recorded = await free.server.services.database.reader
    .selectFrom('audit_events')
    .select('event_name')
    .where('entity_type', '=', 'Project')
    .execute();
  assert.deepEqual(recorded, []);
});
