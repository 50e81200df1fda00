import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { EmailEvent } from '#database/schema.ts';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { mailOutbox } from './fixtures.testing.ts';

const here = await world({ env: { HEARTH_MAIL_DELIVERY: 'outbox', HEARTH_EXTERNAL_URL: 'https://hearth.example' } });
const { newProject, server, root } = here;
const { database, runUnitOfWork } = server.services;
const { mails, recipientsOf } = mailOutbox(here);

/** Publishes the event for the end of a pipeline. */
const publishEnd = (id: number, event: EmailEvent) =>
  runUnitOfWork(ANONYMOUS, (uow) =>
    uow.publish('notifiable-event-occurred', { event, about: { type: 'Pipeline', id } }),
  );

const level = (who: Caller, { at }: Project, value: string, events: object = {}) =>
  expectSuccess(who.put(`${at}/notification_settings`, { level: value, ...events }));

const ENDS = ['failed_pipeline', 'fixed_pipeline', 'success_pipeline'] as const;

test('notifies the user of a pipeline of its end by their level', async () => {
  const project = await newProject();
  const { owner } = project;
  const [failed, fixed, success] = ENDS;
  const cases: readonly (readonly [level: string, events: object, expected: readonly EmailEvent[]])[] = [
    ['participating', {}, [failed, fixed]],
    ['watch', {}, [failed, fixed]],
    ['mention', {}, []],
    ['disabled', {}, []],
    ['custom', {}, [failed, fixed]],
    ['custom', { failed_pipeline: false, fixed_pipeline: false, success_pipeline: true }, [fixed, success]],
  ];
  const pipeline = await insertPipelineRow(here, project);
  for (const [value, events, expected] of cases) {
    await level(owner, project, value, events);
    const recipients = await recipientsOf({ project_id: project.id }, async () => {
      for (const event of ENDS) await publishEnd(pipeline, event);
    });
    assert.deepEqual(recipients, expected.map((event) => `${owner.id} ${event} null`).sort(), value);
  }
});

test('notifies nobody else, and nobody for a pipeline without a user', async () => {
  const project = await newProject({ with: ['developer', 'maintainer'] });
  const { developer, maintainer } = project;
  await level(maintainer, project, 'watch');
  const recipients = (id: number) => recipientsOf({ project_id: project.id }, () => publishEnd(id, 'failed_pipeline'));
  const own = await insertPipelineRow(here, project, { user_id: developer.id });
  assert.deepEqual(await recipients(own), [`${developer.id} failed_pipeline null`]);
  assert.deepEqual(await recipients(await insertPipelineRow(here, project, { user_id: null })), []);
  await expectSuccess(project.owner.delete(`${project.at}/members/${developer.id}`));
  assert.deepEqual(await recipients(own), [], 'the user lost access');
});

test('lists pipeline, ref and failed jobs in the mail', async () => {
  const project = await newProject();
  const id = await insertPipelineRow(here, project, { ref: 'feature' });
  for (const [name, row] of Object.entries({ unit: {}, lint: { allow_failure: true }, e2e: { retried: true } })) {
    await insertJobRow(here, project, { pipeline_id: id, name, status: 'failed', ...row });
  }
  await publishEnd(id, 'failed_pipeline');
  const [mail] = await mails({ project_id: project.id, target_type: 'Pipeline', target_id: id });
  assert.equal(mail?.subject, `${project.name} | Failed pipeline for feature (#${id})`);
  const { content, path } = await database.reader
    .selectFrom('mail_occurrences')
    .innerJoin('mail_messages', 'mail_messages.occurrence_id', 'mail_occurrences.id')
    .select(['content', 'path'])
    .where('mail_messages.id', '=', mail?.id ?? 0)
    .executeTakeFirstOrThrow();
  assert.deepEqual([content, path], ['test: unit', `/${project.path_with_namespace}/-/pipelines/${id}`]);
  assert.equal((await root.get('/admin/mail_messages', { target_type: 'Pipeline' })).status, 200);
});
