import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailOutbox } from '#api/planning/mail-messages/fixtures.testing.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { createTestIntegration } from '../alerts/fixtures.testing.ts';

const here = await world({ env: { HEARTH_MAIL_DELIVERY: 'outbox', HEARTH_EXTERNAL_URL: 'https://hearth.example' } });
const { newProject, server } = here;
const { mails, recipientsOf } = mailOutbox(here);

const updateSettings = ({ owner, at }: Project, settings: object) =>
  expectSuccess(owner.put(`${at}/incident_management_settings`, { ...settings }));

const RECOVERY = { fingerprint: 'disk', end_time: '2026-02-13T11:00:00Z' };

test('mails Owners and Maintainers once when an alert starts and once when it recovers', async () => {
  const project = await newProject({ with: ['developer', 'maintainer'] });
  await updateSettings(project, { send_email: true });
  const { notify } = await createTestIntegration(here, project);
  const recipientsAfter = (...payloads: object[]) =>
    recipientsOf({ project_id: project.id }, async () => {
      for (const payload of payloads) await expectSuccess(notify(payload));
    });
  const both = (event: string) => [project.owner.id, project.maintainer.id].map((id) => `${id} ${event} null`).sort();
  assert.deepEqual(await recipientsAfter({ fingerprint: 'disk' }, { fingerprint: 'disk' }), both('alert_triggered'));
  assert.deepEqual(await recipientsAfter({ fingerprint: 'disk' }), []);
  assert.deepEqual(await recipientsAfter(RECOVERY), both('alert_resolved'));
  await expectSuccess(project.maintainer.put(`${project.at}/notification_settings`, { level: 'disabled' }));
  assert.deepEqual(await recipientsAfter({ fingerprint: 'disk' }), [`${project.owner.id} alert_triggered null`]);
});

test('names the alert in the mail and links to it', async () => {
  const project = await newProject();
  await updateSettings(project, { send_email: true });
  const { notify } = await createTestIntegration(here, project);
  await expectSuccess(notify({ title: 'Disk full', description: '97% on /var, @root' }));
  const [mail, ...others] = await mails({ project_id: project.id, target_type: 'Alert' });
  assert.deepEqual(others, []);
  assert.equal(mail?.subject, `${project.name} | Alert: Disk full`);
  const occurrence = await server.services.database.reader
    .selectFrom('mail_occurrences')
    .innerJoin('mail_messages', 'mail_messages.occurrence_id', 'mail_occurrences.id')
    .select(['lead', 'content', 'path'])
    .where('mail_messages.id', '=', mail?.id ?? 0)
    .executeTakeFirst();
  assert.deepEqual(occurrence, {
    lead: `An alert of ${project.path_with_namespace} has been triggered: Disk full`,
    content: '97% on /var, @root',
    path: `/${project.path_with_namespace}/-/alert_management/1/details`,
  });
});

test('sends no mails about alerts unless the project enables them', async () => {
  const project = await newProject();
  const { notify } = await createTestIntegration(here, project);
  const recipients = await recipientsOf({ project_id: project.id }, () => notify({}));
  assert.deepEqual(recipients, []);
});
