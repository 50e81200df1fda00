import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

/** All stored attributes with values that differ from the defaults. */
const INPUT = {
  project_creation_level: 'owner',
  subgroup_creation_level: 'owner',
  default_branch: 'trunk',
  default_branch_protection: 3,
  membership_lock: true,
  share_with_group_lock: true,
  prevent_sharing_groups_outside_hierarchy: true,
  prevent_forking_outside_group: true,
  require_two_factor_authentication: true,
  two_factor_grace_period: 5,
  request_access_enabled: false,
  lfs_enabled: false,
  emails_enabled: false,
  mentions_disabled: true,
  shared_runners_setting: 'disabled_and_overridable',
  allow_runner_registration_token: false,
  wiki_access_level: 'disabled',
  auto_devops_enabled: false,
  show_diff_preview_in_email: false,
  math_rendering_limits_enabled: false,
  lock_math_rendering_limits_enabled: true,
  max_artifacts_size: 3,
  shared_runners_minutes_limit: 4,
  extra_shared_runners_minutes_limit: 5,
};

test('stores and returns every attribute of a group with POST and PUT', async () => {
  const { group, root, name } = await world({ group: {} });
  assert.equal((await root.put(group.at, INPUT)).status, 200);
  const read = (await root.get(group.at)).body;
  const path = name('made');
  const created = (await root.post('/groups', { ...INPUT, name: path, path })).body;
  for (const [key, value] of Object.entries(INPUT)) {
    assert.deepEqual([key, read[key], created[key]], [key, value, value]);
  }
});

test('rejects values of a wrong type for every attribute of a group', async () => {
  const { group, root } = await world({ group: {} });
  for (const key of Object.keys(INPUT)) {
    const { status, body } = await root.put(group.at, { [key]: [{ a: 1 }] });
    assert.deepEqual([key, status, body], [key, 400, { error: `${key} is invalid` }]);
  }
});

test('stores and returns attributes without a function, some only for single groups', async () => {
  const { group, owner } = await world({ group: {} });
  const input = {
    prevent_forking_outside_group: true,
    only_allow_merge_if_pipeline_succeeds: true,
    allow_merge_on_skipped_pipeline: true,
    only_allow_merge_if_all_discussions_are_resolved: true,
  };
  assert.equal((await owner.put(group.at, input)).status, 200);
  const read = (await owner.get(group.at)).body;
  const [listed] = (await owner.get(`/groups?search=${group.path}`)).body;
  for (const [name, value] of Object.entries(input)) {
    assert.deepEqual([name, read[name], name in listed], [name, value, false]);
  }
});

test('ignores limits of artifacts and minutes unless an administrator sets them', async () => {
  const { group, owner, root } = await world({ group: {} });
  const names = ['max_artifacts_size', 'shared_runners_minutes_limit', 'extra_shared_runners_minutes_limit'];
  const all = (value: number | null) => Object.fromEntries(names.map((name) => [name, value]));
  const fetchResult = (body: Record<string, unknown>) => names.map((name) => body[name]);
  assert.deepEqual(fetchResult((await owner.put(group.at, all(-7))).body), [null, null, null]);
  assert.deepEqual(fetchResult((await root.put(group.at, all(7))).body), [7, 7, 7]);
  assert.deepEqual(fetchResult((await owner.put(group.at, all(null))).body), [7, 7, 7]);
  const refused = await root.put(group.at, { max_artifacts_size: 0, description: 'Not kept' });
  assert.deepEqual(refused.body, { message: { max_artifacts_size: ['must be greater than 0'] } });
  assert.equal((await owner.get(group.at)).body.description, '');
});

test('stores the project of file templates', async () => {
  const { group, owner } = await world({ group: {} });
  const { body: created } = await owner.get(group.at);
  assert.equal(created.file_template_project_id, null);
  for (const value of [7, null]) {
    assert.equal((await owner.put(group.at, { file_template_project_id: value })).body.file_template_project_id, value);
    const [listed] = (await owner.get(`/groups?search=${group.path}`)).body;
    assert.equal(listed.file_template_project_id, value);
  }
});

test('ignores premium attributes of groups on tier free', async () => {
  const { group, owner } = await world({ env: { HEARTH_TIER: 'free' }, group: {} });
  const { body } = await owner.put(group.at, { only_allow_merge_if_pipeline_succeeds: true });
  assert.equal(body.only_allow_merge_if_pipeline_succeeds, false);
});

test('resets emails_enabled to its default when it is blank', async () => {
  const { group, owner } = await world({ group: { emails_disabled: true } });
  assert.equal((await owner.get(group.at)).body.emails_enabled, false);
  const { body } = await owner.put(group.at, { emails_disabled: null });
  assert.deepEqual([body.emails_disabled, body.emails_enabled], [false, true]);
});

/** Unsupported protections, with values that leave them off and one that does not. */
const UNSUPPORTED: [string, unknown[], unknown][] = [
  ['ip_restriction_ranges', ['', null, []], '10.0.0.0/8'],
  ['allowed_email_domains_list', ['', null, []], ['example.com']],
  ['unique_project_download_limit', [0, '0', null], 5],
  ['auto_ban_user_on_excessive_projects_download', [false, 'false'], true],
  ['enabled_git_access_protocol', ['all', 'http', '', null], 'ssh'],
];

test('rejects unsupported protections unless they are off, and saves nothing', async () => {
  const { group, owner, name } = await world({ group: {} });
  for (const [guard, open, closed] of UNSUPPORTED) {
    for (const value of open) assert.equal((await owner.put(group.at, { [guard]: value })).status, 200);
    const refused = await owner.put(group.at, { [guard]: closed, description: 'Not kept' });
    assert.deepEqual([refused.status, refused.body], [400, { message: { [guard]: ['is not supported'] } }]);
    const path = name('guarded');
    const text = `Failed to save group {:${guard}=>["is not supported"]}`;
    const created = await owner.post('/groups', { name: path, path, [guard]: closed });
    assert.deepEqual([created.status, created.body], [400, { message: text }]);
  }
  assert.equal((await owner.get(group.at)).body.description, '');
});

test('accepts an update without known attributes', async () => {
  const { group, owner } = await world({ group: {} });
  const { updated_at: _before, ...before } = (await owner.get(group.at)).body;
  const input = { nonsense: 1, ldap_cn: 'x', ldap_access: 30 };
  const answer = await owner.put(group.at, input);
  assert.equal(answer.status, 200);
  const { updated_at: _after, ...after } = (await owner.get(group.at)).body;
  assert.deepEqual(after, before);
});
