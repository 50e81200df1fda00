import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { project, owner, newProject } = await world({ project: {} });

const DEFAULTS = { create_issue: false, send_email: false, auto_close_incident: true, issue_template_key: null };
const settingsPath = ({ at } = project) => `${at}/incident_management_settings`;

test('returns defaults until settings are saved, and keeps omitted values', async () => {
  assert.deepEqual((await owner.get(settingsPath())).body, DEFAULTS);
  const first = await owner.put(settingsPath(), { send_email: true });
  assert.deepEqual([first.status, first.body], [200, { ...DEFAULTS, send_email: true }]);
  const second = await owner.put(settingsPath(), { auto_close_incident: 'false' });
  assert.deepEqual(second.body, { ...DEFAULTS, send_email: true, auto_close_incident: false });
  assert.deepEqual((await owner.get(settingsPath())).body, second.body);
});

test('returns 400 for an update without parameters or with invalid types', async () => {
  assert.deepEqual((await owner.put(settingsPath(), { other: 1 })).body, {
    error:
      'create_issue, send_email, auto_close_incident, issue_template_key are missing, at least one parameter must be provided',
  });
  assert.deepEqual((await owner.put(settingsPath(), { create_issue: 'random' })).body, {
    error: 'create_issue is invalid',
  });
});

test('where incidents are made, their template is one of the default branch', async () => {
  const target = await newProject({ owner });
  await target.commit({ '.gitlab/issue_templates/Bug.md': '/label ~bug', '.gitlab/issue_templates/deep/x.md': 'x' });
  const missing = { message: { issue_template_key: ['not found'] } };
  const put = (params: object) => owner.put(settingsPath(target), { ...params });
  // As long as none are made, nobody needs it.
  assert.equal((await put({ issue_template_key: 'Incident' })).status, 200);
  const off = await put({ create_issue: true });
  assert.deepEqual([off.status, off.body], [400, missing]);
  for (const key of ['Bug.md', 'bug', 'deep/x', '../issue_templates/Bug', 'deep', '.', '-']) {
    assert.deepEqual((await put({ create_issue: true, issue_template_key: key })).body, missing, key);
  }
  assert.equal((await owner.get(settingsPath(target))).body.create_issue, false);
  const on = await put({ create_issue: true, issue_template_key: 'Bug' });
  assert.deepEqual(on.body, { ...DEFAULTS, create_issue: true, issue_template_key: 'Bug' });
  assert.deepEqual((await put({ issue_template_key: null })).body, { ...DEFAULTS, create_issue: true });
});

test('accepts settings without a template for a project without a repository', async () => {
  const target = await newProject({ owner });
  assert.equal((await owner.put(settingsPath(target), { create_issue: true, issue_template_key: 'Bug' })).status, 400);
  assert.equal((await owner.put(settingsPath(target), { create_issue: true })).status, 200);
});
