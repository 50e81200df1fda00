import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import {
  buildFiringElement,
  buildWebhookPayload,
  createTestIntegration,
  listAlertNoteTexts,
} from '../alerts/fixtures.testing.ts';

const here = await world();
const { newProject, runJobs, server } = here;

/** Creates a project that creates incidents from alerts, and a function that sends alerts to it. */
async function projectWithIncidents(settings: object = {}) {
  const project = await newProject();
  const input = { create_issue: true, ...settings };
  await expectSuccess(project.owner.put(`${project.at}/incident_management_settings`, input));
  const { notify } = await createTestIntegration(here, project);
  const send = (payload: object) => expectSuccess(notify(payload));
  return { project, send };
}

const issuesOf = async ({ owner, at }: Project) => (await owner.get(`${at}/issues`, { sort: 'asc' })).body;

test('creates an incident, authored by the alert bot, for a firing alert', async () => {
  const { project, send } = await projectWithIncidents();
  await send({ title: 'Disk full', severity: 'low', start_time: '2026-02-13T10:20:00Z', service: 'db' });
  await runJobs();
  const [issue, ...others] = await issuesOf(project);
  assert.deepEqual(others, []);
  const { iid, title, issue_type, type, severity, state, confidential, author, description } = issue;
  assert.deepEqual(
    { iid, title, issue_type, type, severity, state, confidential, author: author.username },
    {
      iid: 1,
      title: 'Disk full',
      issue_type: 'incident',
      type: 'INCIDENT',
      severity: 'LOW',
      state: 'opened',
      confidential: false,
      author: 'alert-bot',
    },
  );
  const url = `${server.services.serverUrl()}/${project.path_with_namespace}/-/alert_management/1/details`;
  assert.deepEqual(description.split('  \n'), [
    '**Start time:** 13 February 2026, 10:20AM (UTC)',
    '**Severity:** low',
    '**Service:** db',
    `**Alert:** ${url}`,
  ]);
  assert.deepEqual(await listAlertNoteTexts(here, project), [
    '1 alert-bot logged an alert from **Data Dog**',
    '1 alert-bot created incident #1 for this alert',
  ]);
});

test('titles the incident of an unnamed alert with its number, and appends annotation and template', async () => {
  const { project, send } = await projectWithIncidents();
  await project.commit({ '.gitlab/issue_templates/Down.md': '# Steps\n' });
  await expectSuccess(project.owner.put(`${project.at}/incident_management_settings`, { issue_template_key: 'Down' }));
  await send({});
  await runJobs();
  const annotations = { gitlab_incident_markdown: '**Look** here' };
  await send(
    buildWebhookPayload(buildFiringElement('Down', { annotations, labels: { alertname: 'Down', severity: 'info' } })),
  );
  await runJobs();
  const [first, second] = await issuesOf(project);
  assert.equal(first.title, 'New: Incident 1');
  assert.equal(first.severity, 'CRITICAL');
  assert.ok(first.description.endsWith('\n\n---\n\n# Steps\n'));
  assert.deepEqual([second.title, second.severity], ['Down', 'UNKNOWN']);
  assert.ok(second.description.includes('  \n**full_query:** `up == 0`  \n**Monitoring tool:** Prometheus  \n'));
  assert.ok(second.description.endsWith('\n\n---\n\n**Look** here\n\n---\n\n# Steps\n'));
});

test('creates one incident for grouped payloads, even with concurrent workers', async () => {
  const { project, send } = await projectWithIncidents();
  const payload = { title: 'Disk full', fingerprint: 'disk' };
  await Promise.all(Array.from({ length: 10 }, () => send(payload)));
  await Promise.all([runJobs(), runJobs()]);
  await send(payload);
  await runJobs();
  assert.equal((await issuesOf(project)).length, 1);
});

test('creates an incident for an existing alert at its next payload after incidents are enabled', async () => {
  const { project, send } = await projectWithIncidents({ create_issue: false });
  await send({ fingerprint: 'disk' });
  await runJobs();
  assert.deepEqual(await issuesOf(project), []);
  await expectSuccess(project.owner.put(`${project.at}/incident_management_settings`, { create_issue: true }));
  await send({ fingerprint: 'disk' });
  await runJobs();
  assert.equal((await issuesOf(project)).length, 1);
});

test('closes the incident when its alert recovers, and records a state event by the bot', async () => {
  const { project, send } = await projectWithIncidents();
  await send({ fingerprint: 'disk' });
  await runJobs();
  await send({ fingerprint: 'disk', end_time: '2026-02-13T11:00:00Z' });
  await runJobs();
  const [issue] = await issuesOf(project);
  assert.deepEqual([issue.state, issue.closed_by.username], ['closed', 'alert-bot']);
  const { body } = await project.owner.get(`${project.at}/issues/1/resource_state_events`);
  assert.deepEqual(
    body.map(({ state, user }: { state: string; user: { username: string } }) => [state, user.username]),
    [['closed', 'alert-bot']],
  );
  await send({ fingerprint: 'disk' });
  await runJobs();
  const states = (await issuesOf(project)).map(({ state }: { state: string }) => state);
  assert.deepEqual(states, ['closed', 'opened']);
});

test('creates a closed incident for an alert that recovered before the job ran', async () => {
  const { project, send } = await projectWithIncidents();
  await send({ fingerprint: 'disk' });
  await send({ fingerprint: 'disk', end_time: '2026-02-13T11:00:00Z' });
  await runJobs();
  assert.deepEqual(
    (await issuesOf(project)).map(({ state }: { state: string }) => state),
    ['closed'],
  );
});

test('keeps incidents of recovered alerts open if the project is set so', async () => {
  const { project, send } = await projectWithIncidents({ auto_close_incident: false });
  await send({ fingerprint: 'disk' });
  await runJobs();
  await send({ fingerprint: 'disk', end_time: '2026-02-13T11:00:00Z' });
  await runJobs();
  assert.equal((await issuesOf(project))[0].state, 'opened');
});

test('resolves the alert when its incident is closed; reopening the incident does not reopen the alert', async () => {
  const { project, send } = await projectWithIncidents();
  await send({ fingerprint: 'disk' });
  await runJobs();
  const alert = () =>
    server.services.database.reader
      .selectFrom('alerts')
      .select(['status', 'ended_at'])
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
  await expectSuccess(project.owner.put(`${project.at}/issues/1`, { state_event: 'close' }));
  const { status, ended_at } = await alert();
  assert.equal(status, 'resolved');
  assert.notEqual(ended_at, null);
  const { username } = (await project.owner.get('/user')).body;
  assert.equal(
    (await listAlertNoteTexts(here, project)).at(-1),
    `1 alert-bot changed the status to **Resolved** because @${username} closed incident #1`,
  );
  await expectSuccess(project.owner.put(`${project.at}/issues/1`, { state_event: 'reopen' }));
  assert.equal((await alert()).status, 'resolved');
});

test('creates a new incident at the next payload after the incident was deleted', async () => {
  const { project, send } = await projectWithIncidents();
  await send({ fingerprint: 'disk' });
  await runJobs();
  await expectSuccess(project.owner.delete(`${project.at}/issues/1`));
  await send({ fingerprint: 'disk' });
  await runJobs();
  assert.deepEqual(
    (await issuesOf(project)).map(({ iid }: { iid: number }) => iid),
    [2],
  );
});

test('creates no incident while issues are disabled, and creates it at the next payload after they are enabled', async () => {
  const { project, send } = await projectWithIncidents();
  await expectSuccess(project.owner.put(project.at, { issues_access_level: 'disabled' }));
  await send({ fingerprint: 'disk' });
  await runJobs();
  await expectSuccess(project.owner.put(project.at, { issues_access_level: 'private' }));
  assert.deepEqual(await issuesOf(project), []);
  await send({ fingerprint: 'disk' });
  await runJobs();
  assert.equal((await issuesOf(project)).length, 1);
});

test('creates no incident if the project was archived before the job ran', async () => {
  const { project, send } = await projectWithIncidents();
  await send({ fingerprint: 'disk' });
  await expectSuccess(project.owner.post(`${project.at}/archive`));
  await runJobs();
  assert.deepEqual(await issuesOf(project), []);
});
