import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { createMail } from './fixtures.testing.ts';

const here = await world();
const { root, user, anonymous, newProject, runJobs, server } = here;

test('restricts mails to administrators', async () => {
  const mira = await user();
  const id = await createMail(here, 'failed');
  assert.deepEqual((await anonymous.get('/admin/mail_messages')).body, { message: '401 Unauthorized' });
  for (const answer of [await mira.get('/admin/mail_messages'), await mira.post(`/admin/mail_messages/${id}/retry`)]) {
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
  }
});

test('lists mails in pages, newest first, and filters', async () => {
  const [first, second] = [await createMail(here, 'failed'), await createMail(here, 'sent')];
  const ids = async (params: Readonly<Record<string, unknown>>) =>
    (await expectSuccess(root.get('/admin/mail_messages', params))).body.map(({ id }: { id: number }) => id);
  assert.deepEqual((await ids({ target_type: 'Issue', target_id: 999_999 })).slice(0, 2), [second, first]);
  assert.deepEqual((await ids({ state: 'sent', recipient_id: root.id })).slice(0, 1), [second]);
  assert.deepEqual(await ids({ recipient_id: 987_654 }), []);
  assert.deepEqual(await ids({ event: 'new_epic' }), []);
  assert.deepEqual(await ids({ project_id: 987_654 }), []);
  const wrong = await root.get('/admin/mail_messages', { state: 'gone' });
  assert.deepEqual([wrong.status, wrong.body], [400, { error: 'state does not have a valid value' }]);
});

test('retries failed mails only', async () => {
  const retry = (id: number) => root.post(`/admin/mail_messages/${id}/retry`);
  for (const state of ['held', 'queued', 'sending', 'sent', 'skipped'] as const) {
    const { status, body } = await retry(await createMail(here, state));
    assert.deepEqual([status, body], [400, { message: 'Only failed messages can be retried' }], state);
  }
  const unknown = await retry(987_654);
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Mail Message Not Found' }]);
});

test('writes no mails and enqueues no jobs if mail is off', async () => {
  const project = await newProject({ with: ['developer'] });
  await expectSuccess(project.developer.put(`${project.at}/notification_settings`, { level: 'watch' }));
  await newIssue(project);
  const { reader } = server.services.database;
  assert.deepEqual(
    await reader
      .selectFrom('background_jobs')
      .select('kind')
      .where('kind', 'in', ['notify_users', 'deliver_mails'])
      .execute(),
    [],
  );
  await runJobs();
  assert.deepEqual((await root.get('/admin/mail_messages', { project_id: project.id })).body, []);
});
