import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { type Group, world } from '#test/support/world.ts';

const at = (path: string) => encodeURIComponent(path);

test('updates and returns attributes', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const input = {
    description: 'What we do',
    visibility: 'internal',
    project_creation_level: 'noone',
    default_branch: 'trunk',
    emails_disabled: true,
    mentions_disabled: true,
    shared_runners_setting: 'disabled_and_unoverridable',
    allow_runner_registration_token: false,
    two_factor_grace_period: 12,
    membership_lock: true,
    wiki_access_level: 'private',
  };
  const changed = (await ada.put(top.at, input)).body;
  for (const [name, value] of Object.entries(input)) assert.equal(changed[name], value, name);
  assert.equal(changed.emails_enabled, false);
});

test('resets attributes to their defaults', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada, wiki_access_level: 'private' });
  const cleared = {
    default_branch: '',
    mentions_disabled: null,
    two_factor_grace_period: null,
    description: null,
  };
  const blank = (await ada.put(top.at, cleared)).body;
  assert.deepEqual(
    [blank.default_branch, blank.mentions_disabled, blank.two_factor_grace_period, blank.description],
    [null, null, 48, ''],
  );
  assert.equal(blank.wiki_access_level, 'private');
});

test('reports all invalid attributes together', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const bad = await ada.put(top.at, {
    visibility: 'secret',
    lfs_enabled: 'maybe',
    project_creation_level: 'x',
  });
  assert.deepEqual(bad.body, {
    error:
      'visibility does not have a valid value, project_creation_level does not have a valid value, lfs_enabled is invalid',
  });
});

test('rejects an invalid default branch name', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  for (const default_branch of ['a..b', 'with space', 'x'.repeat(300)]) {
    const changed = await ada.put(top.at, { default_branch });
    assert.deepEqual(
      [changed.status, changed.body],
      [400, { message: { default_branch: ['is not a valid branch name'] } }],
    );
    const created = await ada.post('/groups', { name: 'Some group', path: testWorld.name('group'), default_branch });
    const text = 'Failed to save group {:default_branch=>["is not a valid branch name"]}';
    assert.deepEqual([created.status, created.body], [400, { message: text }]);
  }
  assert.equal((await ada.get(top.at)).body.default_branch, null);
  await ada.put(top.at, { default_branch: 'feature/x' });
  const project = await testWorld.newProject({ in: top, readme: true });
  assert.equal((await ada.get(project.at)).body.default_branch, 'feature/x');
});

test('requires an Owner to update, archive and delete a group', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  await top.addMember('maintainer', bob);
  const calls = [
    bob.put(top.at, { description: 'mine' }),
    bob.post(`${top.at}/archive`),
    bob.post(`${top.at}/restore`),
    bob.post(`${top.at}/transfer`),
    bob.delete(top.at),
  ];
  for (const call of calls) assert.equal((await call).status, 403);
  const read = (await bob.get(top.at)).body;
  assert.deepEqual([read.description, read.archived, read.marked_for_deletion_on], ['', false, null]);
  const stranger = await testWorld.user();
  assert.deepEqual((await stranger.delete(top.at)).body, { message: '404 Group Not Found' });
});

test('moves everything below a renamed group; former project paths redirect, former group paths do not', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top, name: 'Low', path: 'low' });
  const project = await testWorld.newProject({ in: low });
  const { reader } = testWorld.server.services.database;
  const mark = await markRecordedEvents(reader);
  const path = testWorld.name('renamed');
  const renamed = await ada.put(top.at, { path, name: 'Renamed' });
  assert.equal(renamed.body.full_path, path);
  assert.deepEqual(await listRecordedSince(reader, mark), ['group_name_updated', 'group_path_updated']);
  const child = (await ada.get(`/groups/${at(`${path}/low`)}`)).body;
  assert.deepEqual([child.id, child.full_name], [low.id, 'Renamed / Low']);
  assert.equal((await ada.get(`/groups/${at(low.full_path)}`)).status, 404);
  const moved = await ada.get(`/projects/${at(project.path_with_namespace)}/members/all?per_page=1`);
  assert.equal(moved.status, 301);
  assert.match(String(moved.headers.location), new RegExp(`${project.at}/members/all\\?per_page=1$`));
  assert.equal((await ada.get(`/projects/${at(`${path}/low/${project.path}`)}`)).body.id, project.id);
  const taken = await testWorld.newGroup({ owner: ada });
  assert.deepEqual((await ada.put(top.at, { path: taken.path })).body, {
    message: { path: ['has already been taken'] },
  });
  assert.equal((await ada.put(top.at, { path: path.toUpperCase() })).body.full_path, path.toUpperCase());
});

test('limits visibility by the parent and by the contents', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada, visibility: 'public' });
  const low = await here.newGroup({ in: top, visibility: 'internal' });
  await here.newProject({ in: low, visibility: 'internal' });
  const refusal = async (group: Group, visibility: string) =>
    (await ada.put(`/groups/${group.id}`, { visibility })).body.message;
  assert.deepEqual(await refusal(top, 'private'), {
    visibility_level: ['private is not allowed since there are sub-groups with higher visibility.'],
  });
  assert.deepEqual(await refusal(low, 'private'), {
    visibility_level: ['private is not allowed since this group contains projects with higher visibility.'],
  });
  assert.equal((await ada.put(top.at, { visibility: 'internal' })).status, 200);
  assert.deepEqual(await refusal(low, 'public'), {
    visibility_level: ['public is not allowed since the parent group has a internal visibility.'],
  });
});

test('returns 412 for a group that was updated after If-Unmodified-Since', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const answer = await ada.delete(top.at, undefined, { 'If-Unmodified-Since': '2026-01-01' });
  assert.equal(answer.status, 412);
  assert.equal((await ada.get(top.at)).body.marked_for_deletion_on, null);
});
