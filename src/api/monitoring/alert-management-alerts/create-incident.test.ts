import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createTestIntegration, listAlertNoteTexts } from '../alerts/fixtures.testing.ts';

test('creates an incident for an alert once, authored by the caller', async () => {
  const here = await world({ project: { with: ['developer', 'reporter'] } });
  const { notify } = await createTestIntegration(here, here.project);
  await notify({ title: 'Disk', severity: 'high' });
  const at = `${here.project.at}/alert_management_alerts/1`;
  assert.equal((await here.reporter.post(`${at}/issue`)).status, 403);
  const answers = await Promise.all(Array.from({ length: 5 }, () => here.developer.post(`${at}/issue`)));
  const [created, ...others] = answers.toSorted((a, b) => a.status - b.status);
  assert.equal(created?.status, 201);
  const { title, issue_type, severity, author, iid } = created!.body;
  assert.deepEqual([title, issue_type, severity, author.id], ['Disk', 'incident', 'HIGH', here.developer.id]);
  for (const { status, body } of others) {
    assert.deepEqual([status, body], [409, { message: 'An issue already exists' }]);
  }
  const { body: alert } = await here.developer.get(at);
  assert.equal(alert.issue_iid, iid);
  assert.equal(
    (await listAlertNoteTexts(here, here.project)).at(-1),
    `1 ${here.developer.username} created incident #${iid} for this alert`,
  );
  assert.equal((await here.developer.post(`${here.project.at}/alert_management_alerts/99/issue`)).status, 404);
});

test('creates no incident where issues cannot be created', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const { notify } = await createTestIntegration(here, project);
  await notify({ title: 'Disk' });
  const ask = () => developer.post(`${project.at}/alert_management_alerts/1/issue`);
  const refused = { status: 403, body: { message: '403 Forbidden' } };
  const answered = async () => {
    const { status, body } = await ask();
    return { status, body };
  };
  await expectSuccess(project.owner.post(`${project.at}/archive`));
  assert.deepEqual(await answered(), refused);
  await expectSuccess(project.owner.post(`${project.at}/unarchive`));
  await expectSuccess(project.owner.put(project.at, { issues_access_level: 'disabled' }));
  assert.deepEqual(await answered(), refused);
  await expectSuccess(project.owner.put(project.at, { issues_access_level: 'private' }));
  assert.equal((await ask()).status, 201);
});
