import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newGroup } = await world();

/** The fields of a new group, except names and timestamps. */
const DEFAULTS = {
  description: '',
  visibility: 'private',
  share_with_group_lock: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  project_creation_level: 'developer',
  auto_devops_enabled: null,
  subgroup_creation_level: 'maintainer',
  emails_disabled: false,
  emails_enabled: true,
  show_diff_preview_in_email: true,
  mentions_disabled: null,
  lfs_enabled: true,
  archived: false,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  default_branch: null,
  default_branch_protection: 2,
  default_branch_protection_defaults: {},
  avatar_url: null,
  request_access_enabled: true,
  parent_id: null,
  organization_id: 1,
  shared_runners_setting: 'enabled',
  max_artifacts_size: null,
  marked_for_deletion_on: null,
  ldap_cn: null,
  ldap_access: null,
  wiki_access_level: 'enabled',
  shared_with_groups: [],
  projects: [],
  shared_projects: [],
  prevent_sharing_groups_outside_hierarchy: false,
  membership_lock: false,
  prevent_forking_outside_group: false,
  allow_runner_registration_token: true,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  file_template_project_id: null,
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
};

test('creates a group with defaults and makes its creator Owner', async () => {
  const { user, name } = await world();
  const ada = await user();
  const path = name('group');
  const created = await ada.post('/groups', { name: 'The tools', path });
  assert.equal(created.status, 201, created.text);
  const { id, web_url, created_at, runners_token, ...rest } = created.body;
  assert.match(runners_token, /^GR1348941/);
  assert.match(web_url, new RegExp(`/groups/${path}$`));
  assert.equal(typeof id, 'number');
  assert.match(created_at, /^2026-01-02T/);
  const named = { name: 'The tools', path, full_name: 'The tools', full_path: path };
  assert.deepEqual(rest, { ...named, ...DEFAULTS });
  const owner = await ada.get(`/groups/${id}/members/${ada.id}`);
  assert.equal(owner.body.access_level, 50);
});

test('builds the full path and name of a subgroup from its parents', async () => {
  const { user } = await world();
  const ada = await user();
  const top = await newGroup({ owner: ada, name: 'Top' });
  const middle = await newGroup({ owner: ada, name: 'Middle', path: 'middle', in: top });
  const low = await newGroup({ owner: ada, name: 'Low', path: 'low', in: middle });
  assert.equal(low.full_path, `${top.path}/middle/low`);
  assert.equal(low.full_name, 'Top / Middle / Low');
  assert.equal(low.parent_id, middle.id);
  const read = await ada.get(`/groups/${encodeURIComponent(low.full_path.toUpperCase())}`);
  assert.equal(read.body.id, low.id);
  assert.equal('prevent_sharing_groups_outside_hierarchy' in read.body, false);
});

test('reports all validation errors in one text', async () => {
  const { user, name, anonymous } = await world();
  const ada = await user();
  const path = name('taken');
  const parent = await newGroup({ owner: ada, path });
  const refused: [params: Record<string, unknown>, text: string][] = [
    [{ name: 'b', path: path.toUpperCase() }, '{:path=>["has already been taken"]}'],
    [{ name: 'b', path: ada.username }, '{:path=>["has already been taken"]}'],
    [{ name: 'b', path: 'x' }, '{:path=>["is too short (minimum is 2 characters)"]}'],
    [{ name: 'b', path: 'api' }, '{:path=>["api is a reserved name"]}'],
    [{ name: '', path: name('fine') }, `{:name=>["can't be blank"]}`],
    [
      { name: 'b', path: 'bb', parent_id: parent.id, visibility: 'public' },
      '{:visibility_level=>["public is not allowed since the parent group has a private visibility."]}',
    ],
  ];
  for (const [params, text] of refused) {
    const { status, body } = await ada.post('/groups', params);
    assert.deepEqual([status, body], [400, { message: `Failed to save group ${text}` }]);
  }
  assert.deepEqual((await ada.post('/groups', {})).body, { error: 'name is missing, path is missing' });
  assert.equal((await anonymous.post('/groups', {})).status, 401);
  assert.equal((await ada.get('/groups', { owned: true })).body.length, 1);
});

test('checks who may create groups at which level', async () => {
  const { user, name, server, root } = await world();
  const [ada, bob, eve] = [await user(), await user(), await user()];
  const parent = await newGroup({ owner: ada });
  const below = (caller: typeof bob, path: string) => caller.post('/groups', { name: 'b', path, parent_id: parent.id });
  assert.deepEqual((await below(bob, 'bobs')).body, { message: '404 Group Not Found' });
  await parent.addMember('developer', bob);
  assert.deepEqual([(await below(bob, 'bobs')).status, (await below(root, 'roots')).status], [403, 201]);
  await ada.put(`${parent.at}/members/${bob.id}`, { access_level: 40 });
  assert.equal((await below(bob, 'bobs')).status, 201);
  await ada.put(parent.at, { subgroup_creation_level: 'owner' });
  assert.equal((await below(bob, 'more')).status, 403);
  await server.services.database.transaction((tx) =>
    tx.updateTable('users').set({ can_create_group: false }).where('id', '=', eve.id).execute(),
  );
  assert.deepEqual((await eve.post('/groups', { name: 'e', path: name('eve') })).body, { message: '403 Forbidden' });
});
