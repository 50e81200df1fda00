import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

/** Everything that is kept, each with another value than the usual one. */
const SENT = {
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

test('every attribute of a group that is kept is shown as it was sent, by PUT and by POST', async () => {
  const { group, root, name } = await world({ group: {} });
  assert.equal((await root.put(group.at, SENT)).status, 200);
  const read = (await root.get(group.at)).body;
  const path = name('made');
  const made = (await root.post('/groups', { ...SENT, name: path, path })).body;
  for (const [key, value] of Object.entries(SENT)) {
    assert.deepEqual([key, read[key], made[key]], [key, value, value]);
  }
});

test('no attribute of a group takes a value of another kind', async () => {
  const { group, root } = await world({ group: {} });
  for (const key of Object.keys(SENT)) {
    const { status, body } = await root.put(group.at, { [key]: [{ a: 1 }] });
    assert.deepEqual([key, status, body], [key, 400, { error: `${key} is invalid` }]);
  }
});

test('attributes of families to come are kept and shown as well, some by the group alone', async () => {
  const { group, owner } = await world({ group: {} });
  const sent = {
    prevent_forking_outside_group: true,
    only_allow_merge_if_pipeline_succeeds: true,
    allow_merge_on_skipped_pipeline: true,
    only_allow_merge_if_all_discussions_are_resolved: true,
  };
  assert.equal((await owner.put(group.at, sent)).status, 200);
  const read = (await owner.get(group.at)).body;
  const [listed] = (await owner.get(`/groups?search=${group.path}`)).body;
  for (const [name, value] of Object.entries(sent)) {
    assert.deepEqual([name, read[name], name in listed], [name, value, false]);
  }
});

test('only administrators limit artifacts and minutes of a group; others are not heard', async () => {
  const { group, owner, root } = await world({ group: {} });
  const names = ['max_artifacts_size', 'shared_runners_minutes_limit', 'extra_shared_runners_minutes_limit'];
  const all = (value: number | null) => Object.fromEntries(names.map((name) => [name, value]));
  const shown = (body: Record<string, unknown>) => names.map((name) => body[name]);
  assert.deepEqual(shown((await owner.put(group.at, all(-7))).body), [null, null, null]);
  assert.deepEqual(shown((await root.put(group.at, all(7))).body), [7, 7, 7]);
  assert.deepEqual(shown((await owner.put(group.at, all(null))).body), [7, 7, 7]);
  const refused = await root.put(group.at, { max_artifacts_size: 0, description: 'Not kept' });
  assert.deepEqual(refused.body, { message: { max_artifacts_size: ['must be greater than 0'] } });
  assert.equal((await owner.get(group.at)).body.description, '');
});

test('premium attributes of groups are not heard on the free tier', async () => {
  const { group, owner } = await world({ env: { HEARTH_TIER: 'free' }, group: {} });
  const { body } = await owner.put(group.at, { only_allow_merge_if_pipeline_succeeds: true });
  assert.equal(body.only_allow_merge_if_pipeline_succeeds, false);
});

test('mails that are neither on nor off are as they are at first', async () => {
  const { group, owner } = await world({ group: { emails_disabled: true } });
  assert.equal((await owner.get(group.at)).body.emails_enabled, false);
  const { body } = await owner.put(group.at, { emails_disabled: null });
  assert.deepEqual([body.emails_disabled, body.emails_enabled], [false, true]);
});

/** Guards, with values that leave them open and one that doesn't. */
const GUARDS: [string, unknown[], unknown][] = [
  ['ip_restriction_ranges', ['', null, []], '10.0.0.0/8'],
  ['allowed_email_domains_list', ['', null, []], ['example.com']],
  ['unique_project_download_limit', [0, '0', null], 5],
  ['auto_ban_user_on_excessive_projects_download', [false, 'false'], true],
  ['enabled_git_access_protocol', ['all', 'http', '', null], 'ssh'],
];

test('guards that nothing enforces are refused unless they are open, and nothing is saved', async () => {
  const { group, owner, name } = await world({ group: {} });
  for (const [guard, open, closed] of GUARDS) {
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

test('a change of a group that names nothing known is one of nothing', async () => {
  const { group, owner } = await world({ group: {} });
  const { updated_at: _before, ...before } = (await owner.get(group.at)).body;
  const sent = { nonsense: 1, ldap_cn: 'x', ldap_access: 30, file_template_project_id: 7 };
  const answer = await owner.put(group.at, sent);
  assert.equal(answer.status, 200);
  const { updated_at: _after, ...after } = (await owner.get(group.at)).body;
  assert.deepEqual(after, before);
});
