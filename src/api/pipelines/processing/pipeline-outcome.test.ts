import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailOutbox } from '#api/planning/mail-messages/fixtures.testing.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { createPipelineFixture } from './fixtures.testing.ts';

const here = await world({ env: { HEARTH_MAIL_DELIVERY: 'outbox', HEARTH_EXTERNAL_URL: 'https://hearth.example' } });
const { newProject, runJobs } = here;
const { mails } = mailOutbox(here);

/** Runs the only job of a new pipeline of this ref to this end. */
async function end(project: Project, to: 'success' | 'failed' | 'canceled', ref = 'main') {
  const pipeline = await createPipelineFixture(here, project, { test: {} }, { ref });
  await pipeline.runJob('test', to);
  return pipeline;
}

/** What has been told of the project's pipelines, the first first. */
const told = async ({ id }: Project) => (await mails({ project_id: id })).map(({ event }) => event).toReversed();

/** Its owner hears of everything. */
async function watched() {
  const project = await newProject();
  const events = { level: 'custom', success_pipeline: true };
  await expectSuccess(project.owner.put(`${project.at}/notification_settings`, events));
  return project;
}

test('treats success after a failure on the same ref as fixed, despite canceled pipelines between', async () => {
  const project = await watched();
  for (const to of ['success', 'failed', 'canceled', 'success', 'success'] as const) {
    await end(project, to);
    await runJobs();
  }
  assert.deepEqual(await told(project), ['success_pipeline', 'failed_pipeline', 'fixed_pipeline', 'success_pipeline']);
});

test('does not treat success as fixed after a failure of another ref or an older pipeline', async () => {
  const project = await watched();
  await end(project, 'failed', 'other');
  await runJobs();
  const older = await createPipelineFixture(here, project, { test: {} }, { ref: 'main' });
  await end(project, 'failed');
  await runJobs();
  await older.runJob('test', 'success');
  assert.deepEqual(await told(project), ['failed_pipeline', 'failed_pipeline', 'success_pipeline']);
});

test('a pipeline that has failed and succeeds when it is run again mends itself, unless a newer one has', async () => {
  const project = await watched();
  const again = async ({ id, runJob: run }: Awaited<ReturnType<typeof end>>) => {
    await expectSuccess(project.owner.post(`${project.at}/pipelines/${id}/retry`));
    await run('test', 'success');
    await runJobs();
  };
  const first = await end(project, 'failed');
  await runJobs();
  await again(first);
  const second = await end(project, 'failed');
  await runJobs();
  await end(project, 'success');
  await runJobs();
  await again(second);
  assert.deepEqual(await told(project), [
    'failed_pipeline',
    'fixed_pipeline',
    'failed_pipeline',
    'fixed_pipeline',
    'success_pipeline',
  ]);
});

test('sends no failure notification if an automatic retry of the job succeeds', async () => {
  const project = await watched();
  const options = { retry: { max: 1, when: ['always'], exit_codes: [] } };
  const pipeline = await createPipelineFixture(here, project, { test: { options } }, { ref: 'main' });
  await pipeline.runJob('test', 'failed', { failure_reason: 'script_failure' });
  await runJobs();
  await pipeline.runJob('test', 'success');
  assert.deepEqual(await told(project), ['success_pipeline']);
});

test('notifies the author of a push of an invalid CI file', async () => {
  const project = await newProject({ readme: true });
  const file = { branch: 'main', content: 'unit: {script: 1, stage: nowhere}\n', commit_message: 'Say what runs' };
  await expectSuccess(project.owner.post(`${project.repository}/files/.gitlab-ci.yml`, file));
  await runJobs();
  assert.deepEqual(await told(project), ['failed_pipeline']);
});
