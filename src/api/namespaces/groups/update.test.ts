import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markHistory, recordedSince } from '#activity/index.ts';
import { type Group, world } from '#test/support/world.ts';

const at = (path: string) => encodeURIComponent(path);

test('attributes are changed and shown', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const sent = {
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
  const changed = (await ada.put(top.at, sent)).body;
  for (const [name, value] of Object.entries(sent)) assert.equal(changed[name], value, name);
  assert.equal(changed.emails_enabled, false);
});

test('attributes are cleared to what they are without a value', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada, wiki_access_level: 'private' });
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

test('attributes with values that there are not are refused together', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
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

test('a default branch that git would not take is refused, so that projects can begin there', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  for (const default_branch of ['a..b', 'with space', 'x'.repeat(300)]) {
    const changed = await ada.put(top.at, { default_branch });
    assert.deepEqual(
      [changed.status, changed.body],
      [400, { message: { default_branch: ['is not a valid branch name'] } }],
    );
    const made = await ada.post('/groups', { name: 'Some group', path: here.name('group'), default_branch });
    const text = 'Failed to save group {:default_branch=>["is not a valid branch name"]}';
    assert.deepEqual([made.status, made.body], [400, { message: text }]);
  }
  assert.equal((await ada.get(top.at)).body.default_branch, null);
  await ada.put(top.at, { default_branch: 'feature/x' });
  const project = await here.newProject({ in: top, readme: true });
  assert.equal((await ada.get(project.at)).body.default_branch, 'feature/x');
});

test('only Owners change, archive and delete a group', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  await top.add('maintainer', bob);
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
  const stranger = await here.user();
  assert.deepEqual((await stranger.delete(top.at)).body, { message: '404 Group Not Found' });
});

test('a rename moves everything below; old project paths lead on, old group paths do not', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top, name: 'Low', path: 'low' });
  const project = await here.newProject({ in: low });
  const { reader } = here.server.services.database;
  const mark = await markHistory(reader);
  const path = here.name('renamed');
  const renamed = await ada.put(top.at, { path, name: 'Renamed' });
  assert.equal(renamed.body.full_path, path);
  assert.deepEqual(await recordedSince(reader, mark), ['group_name_updated', 'group_path_updated']);
  const child = (await ada.get(`/groups/${at(`${path}/low`)}`)).body;
  assert.deepEqual([child.id, child.full_name], [low.id, 'Renamed / Low']);
  assert.equal((await ada.get(`/groups/${at(low.full_path)}`)).status, 404);
  const moved = await ada.get(`/projects/${at(project.path_with_namespace)}/members/all?per_page=1`);
  assert.equal(moved.status, 301);
  assert.match(String(moved.headers.location), new RegExp(`${project.at}/members/all\\?per_page=1$`));
  assert.equal((await ada.get(`/projects/${at(`${path}/low/${project.path}`)}`)).body.id, project.id);
  const taken = await here.newGroup({ owner: ada });
  assert.deepEqual((await ada.put(top.at, { path: taken.path })).body, {
    message: { path: ['has already been taken'] },
  });
  assert.equal((await ada.put(top.at, { path: path.toUpperCase() })).body.full_path, path.toUpperCase());
});

test('visibility has bounds above and below', async () => {
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

test('If-Unmodified-Since spares a group that was changed later', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const answer = await ada.delete(top.at, undefined, { 'If-Unmodified-Since': '2026-01-01' });
  assert.equal(answer.status, 412);
  assert.equal((await ada.get(top.at)).body.marked_for_deletion_on, null);
});
