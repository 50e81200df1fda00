import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Group, world } from '../../../../test/world.ts';
import { markHistory, recordedSince } from '../../../history/index.ts';

const at = (path: string) => encodeURIComponent(path);

test('attributes are changed, cleared and shown', async () => {
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
    max_artifacts_size: 7,
  };
  const changed = (await ada.put(`/groups/${top.id}`, sent)).body;
  for (const [name, value] of Object.entries(sent)) assert.equal(changed[name], value, name);
  assert.equal(changed.emails_enabled, false);
  const cleared = {
    default_branch: '',
    mentions_disabled: null,
    two_factor_grace_period: null,
    description: null,
    max_artifacts_size: '',
  };
  const blank = (await ada.put(`/groups/${top.id}`, cleared)).body;
  assert.deepEqual(
    [
      blank.default_branch,
      blank.mentions_disabled,
      blank.two_factor_grace_period,
      blank.description,
      blank.max_artifacts_size,
    ],
    [null, null, 48, '', null],
  );
  assert.equal(blank.wiki_access_level, 'private');
  const bad = await ada.put(`/groups/${top.id}`, {
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
    const changed = await ada.put(`/groups/${top.id}`, { default_branch });
    assert.deepEqual(
      [changed.status, changed.body],
      [400, { message: { default_branch: ['is not a valid branch name'] } }],
    );
    const made = await ada.post('/groups', { name: 'Some group', path: here.name('group'), default_branch });
    const text = 'Failed to save group {:default_branch=>["is not a valid branch name"]}';
    assert.deepEqual([made.status, made.body], [400, { message: text }]);
  }
  assert.equal((await ada.get(`/groups/${top.id}`)).body.default_branch, null);
  await ada.put(`/groups/${top.id}`, { default_branch: 'feature/x' });
  const project = await here.newProject({ in: top, readme: true });
  assert.equal((await ada.get(`/projects/${project.id}`)).body.default_branch, 'feature/x');
});

test('only Owners change, archive and delete a group', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  await top.add('maintainer', bob);
  const calls = [
    bob.put(`/groups/${top.id}`, { description: 'mine' }),
    bob.post(`/groups/${top.id}/archive`),
    bob.post(`/groups/${top.id}/restore`),
    bob.post(`/groups/${top.id}/transfer`),
    bob.delete(`/groups/${top.id}`),
  ];
  for (const call of calls) assert.equal((await call).status, 403);
  const read = (await bob.get(`/groups/${top.id}`)).body;
  assert.deepEqual([read.description, read.archived, read.marked_for_deletion_on], ['', false, null]);
  const stranger = await here.user();
  assert.deepEqual((await stranger.delete(`/groups/${top.id}`)).body, { message: '404 Group Not Found' });
});

test('a rename moves everything below; old project paths lead on, old group paths do not', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top, name: 'Low', path: 'low' });
  const project = await here.newProject({ in: low });
  const { reader } = here.server.rooms.database;
  const mark = await markHistory(reader);
  const path = here.name('renamed');
  const renamed = await ada.put(`/groups/${top.id}`, { path, name: 'Renamed' });
  assert.equal(renamed.body.full_path, path);
  assert.deepEqual(await recordedSince(reader, mark), ['group_name_updated', 'group_path_updated']);
  const child = (await ada.get(`/groups/${at(`${path}/low`)}`)).body;
  assert.deepEqual([child.id, child.full_name], [low.id, 'Renamed / Low']);
  assert.equal((await ada.get(`/groups/${at(low.full_path)}`)).status, 404);
  const moved = await ada.get(`/projects/${at(project.path_with_namespace)}/members/all?per_page=1`);
  assert.equal(moved.status, 301);
  assert.match(String(moved.headers.location), new RegExp(`/projects/${project.id}/members/all\\?per_page=1$`));
  assert.equal((await ada.get(`/projects/${at(`${path}/low/${project.path}`)}`)).body.id, project.id);
  const taken = await here.newGroup({ owner: ada });
  assert.deepEqual((await ada.put(`/groups/${top.id}`, { path: taken.path })).body, {
    message: { path: ['has already been taken'] },
  });
  assert.equal((await ada.put(`/groups/${top.id}`, { path: path.toUpperCase() })).body.full_path, path.toUpperCase());
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
  assert.equal((await ada.put(`/groups/${top.id}`, { visibility: 'internal' })).status, 200);
  assert.deepEqual(await refusal(low, 'public'), {
    visibility_level: ['public is not allowed since the parent group has a internal visibility.'],
  });
});

test('archiving is refused when it is so already', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  assert.equal((await ada.post(`/groups/${top.id}/unarchive`)).status, 422);
  const archived = await ada.post(`/groups/${top.id}/archive`);
  assert.deepEqual([archived.status, archived.body.archived], [200, true]);
  assert.deepEqual((await ada.post(`/groups/${top.id}/archive`)).status, 422);
  assert.equal((await ada.post(`/groups/${top.id}/unarchive`)).body.archived, false);
});

test('a transfer takes everything along and lowers what would be too visible', async () => {
  const here = await world();
  const ada = await here.user();
  const target = await here.newGroup({ owner: ada });
  const top = await here.newGroup({ owner: ada, visibility: 'public' });
  const low = await here.newGroup({ in: top, visibility: 'public' });
  const project = await here.newProject({ in: low, visibility: 'public' });
  const moved = await ada.post(`/groups/${top.id}/transfer`, { group_id: target.id });
  assert.deepEqual(
    [moved.status, moved.body.full_path, moved.body.visibility, moved.body.parent_id],
    [201, `${target.path}/${top.path}`, 'private', target.id],
  );
  assert.equal((await ada.get(`/groups/${low.id}`)).body.visibility, 'private');
  const shown = (await ada.get(`/projects/${project.id}`)).body;
  assert.deepEqual(
    [shown.visibility, shown.path_with_namespace],
    ['private', `${target.path}/${project.path_with_namespace}`],
  );
  assert.equal((await ada.get(`/projects/${at(project.path_with_namespace)}`)).status, 301);
  const below = await ada.get(`/groups/${target.id}/descendant_groups`);
  assert.equal(below.body.length, 2);
  const back = await ada.post(`/groups/${top.id}/transfer`);
  assert.deepEqual([back.body.full_path, back.body.parent_id], [top.path, null]);
  assert.equal((await ada.get(`/groups/${target.id}/descendant_groups`)).body.length, 0);
});

test('whatever a transfer makes less visible has that in its log', async () => {
  const here = await world();
  const ada = await here.user();
  const target = await here.newGroup({ owner: ada, visibility: 'internal' });
  const top = await here.newGroup({ owner: ada, visibility: 'public' });
  const low = await here.newGroup({ in: top, visibility: 'private' });
  const project = await here.newProject({ in: top, visibility: 'public' });
  const spared = await here.newProject({ in: top, visibility: 'internal' });
  await ada.post(`/groups/${top.id}/transfer`, { group_id: target.id });
  const lowerings = async (kind: 'Group' | 'Project', { id }: { id: number }) => {
    const { body } = await here.root.get('/audit_events', { entity_type: kind, entity_id: id });
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

test('what makes a transfer fail', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const twin = await here.newGroup({ owner: ada, path: low.path });
  const bobs = await here.newGroup({ owner: bob, visibility: 'public' });
  const hidden = await here.newGroup({ owner: bob });
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
  assert.equal((await ada.post(`/groups/${low.id}/transfer`, { group_id: hidden.id })).status, 404);
  assert.equal((await ada.get(`/groups/${low.id}`)).body.full_path, low.full_path);
});

test('deletion is delayed: the path is free at once, and the group comes back', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const project = await here.newProject({ in: low });
  await top.add('developer', bob);
  const deleted = await ada.delete(`/groups/${top.id}`);
  assert.deepEqual([deleted.status, deleted.body], [202, { message: '202 Accepted' }]);
  const marked = (await bob.get(`/groups/${top.id}`)).body;
  const path = `${top.path}-deletion_scheduled-${top.id}`;
  assert.deepEqual(
    [marked.full_path, marked.name, marked.archived, marked.marked_for_deletion_on],
    [path, `${top.name}-deletion_scheduled-${top.id}`, true, '2026-01-02'],
  );
  assert.equal(
    (await ada.get(`/projects/${project.id}`)).body.path_with_namespace,
    `${path}/${low.path}/${project.path}`,
  );
  assert.deepEqual((await ada.delete(`/groups/${top.id}`)).body, {
    message: 'Group has already been marked for deletion',
  });
  assert.equal((await ada.delete(`/groups/${low.id}`)).status, 202);
  assert.equal((await ada.get(`/groups/${low.id}`)).body.marked_for_deletion_on, null);
  const heir = await here.newGroup({ owner: ada, path: top.path });
  assert.equal((await ada.post(`/groups/${top.id}/restore`)).status, 400);
  await ada.put(`/groups/${heir.id}`, { path: here.name('heir') });
  const restored = await ada.post(`/groups/${top.id}/restore`);
  const { full_path, name, archived, marked_for_deletion_on } = restored.body;
  assert.deepEqual(
    [restored.status, full_path, name, archived, marked_for_deletion_on],
    [201, top.path, top.name, false, null],
  );
  assert.equal((await ada.get(`/projects/${at(project.path_with_namespace)}`)).body.id, project.id);
});

test('a marked subgroup can be destroyed at once, by its exact path', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const lowest = await here.newGroup({ in: low });
  const project = await here.newProject({ in: lowest });
  const destroy = (group: Group, full_path?: string) =>
    ada.delete(`/groups/${group.id}`, { permanently_remove: true, full_path });
  assert.deepEqual((await destroy(top, top.path)).body, {
    message: '`permanently_remove` option is only available for subgroups.',
  });
  assert.deepEqual((await destroy(low, low.full_path)).body, { message: 'Group must be marked for deletion first.' });
  await ada.delete(`/groups/${low.id}`);
  const wrong = '`full_path` is incorrect. You must enter the complete path for the subgroup.';
  assert.deepEqual((await destroy(low, low.full_path)).body, { message: wrong });
  assert.deepEqual((await destroy(low)).body, { message: wrong });
  const { full_path } = (await ada.get(`/groups/${low.id}`)).body;
  const { reader } = here.server.rooms.database;
  const mark = await markHistory(reader);
  assert.equal((await destroy(low, full_path)).status, 202);
  for (const path of [`/groups/${low.id}`, `/groups/${lowest.id}`, `/projects/${project.id}`])
    assert.equal((await ada.get(path)).status, 404);
  assert.equal((await ada.get(`/groups/${top.id}`)).status, 200);
  assert.deepEqual(await recordedSince(reader, mark), ['project_destroyed', 'group_destroyed', 'group_destroyed']);
  const events = await reader
    .selectFrom('audit_events')
    .select('entity_id')
    .where('id', '>', mark.audit)
    .where('event_name', '=', 'group_destroyed')
    .execute();
  assert.deepEqual(
    events.map(({ entity_id }) => entity_id),
    [top.id, top.id],
  );
  const left = await reader
    .selectFrom('memberships')
    .select('id')
    .where('source_id', 'in', [low.id, lowest.id])
    .where('source_type', '=', 'group')
    .execute();
  assert.deepEqual(left, []);
});

test('If-Unmodified-Since spares a group that was changed later', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  const answer = await ada.delete(`/groups/${top.id}`, undefined, { 'If-Unmodified-Since': '2026-01-01' });
  assert.equal(answer.status, 412);
  assert.equal((await ada.get(`/groups/${top.id}`)).body.marked_for_deletion_on, null);
});
