import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

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
