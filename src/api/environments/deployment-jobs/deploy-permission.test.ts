import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPipelineFixture, type JobFixture } from '#api/pipelines/processing/fixtures.testing.ts';
import { changeJobStatus } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { createProtection, type NewProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// What is asked before a job with an environment starts (contract/environments.md Part 5, "Protection").

const here = await world();
const { server, newProject } = here;
const { database, runUnitOfWork } = server.services;

const members = { readme: true, with: ['reporter', 'developer', 'maintainer'] } as const;

const protect = ({ id }: Project, name: string, protection: NewProtection) =>
  database.transaction((tx) => createProtection(tx, { project_id: id, group_id: null }, name, protection));
const unprotect = ({ id }: Project) =>
  database.transaction((tx) => tx.deleteFrom('protected_environments').where('project_id', '=', id).execute());

/** A job of the developer's that has this environment. */
const deploys = ({ developer }: { developer: { id: number } }, job: JobFixture = {}, action = 'start'): JobFixture => ({
  ...job,
  row: { environment: 'production', user_id: developer.id },
  options: { environment: { action } },
});

const reasonOf = async (project: Project, id: number) =>
  (await project.owner.get(`${project.at}/jobs/${id}`)).body.failure_reason;

test('fails a job at start if its user may not deploy, and skips the jobs after it', async () => {
  const project = await newProject(members);
  await protect(project, 'production', { levels: [{ access_level: 40 }] });
  const pipeline = await createPipelineFixture(here, project, {
    build: {},
    ship: deploys(project, { stage: 1 }),
    after: { stage: 2 },
  });
  assert.deepEqual((await pipeline.listStatuses()).ship, 'created');
  await pipeline.runJob('build', 'success');
  assert.deepEqual(await pipeline.listStatuses(), {
    build: 'success',
    ship: 'failed',
    after: 'skipped',
    pipeline: 'failed',
  });
  assert.equal(await reasonOf(project, await pipeline.getJobId('ship')), 'protected_environment_failure');
});

test('requires the right to deploy for every environment action', async () => {
  const project = await newProject(members);
  await protect(project, 'production', { levels: [{ access_level: 40 }] });
  const pipeline = await createPipelineFixture(here, project, {
    halt: deploys(project, {}, 'stop'),
    look: deploys(project, {}, 'verify'),
    other: {},
  });
  assert.deepEqual(await pipeline.listStatuses(), {
    halt: 'failed',
    look: 'failed',
    other: 'pending',
    pipeline: 'running',
  });
});

test('requires the right to deploy for playing and retrying deploy jobs', async () => {
  const project = await newProject(members);
  const pipeline = await createPipelineFixture(here, project, {
    ship: deploys(project, { when: 'manual' }),
    again: deploys(project),
  });
  const [ship, again] = [await pipeline.getJobId('ship'), await pipeline.getJobId('again')];
  await pipeline.runJob('again', 'success');
  await protect(project, 'production', { levels: [{ access_level: 40 }] });
  for (const path of [`${ship}/play`, `${again}/retry`]) {
    const refusal = await project.developer.post(`${project.at}/jobs/${path}`);
    assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden' }]);
    await expectSuccess(project.maintainer.post(`${project.at}/jobs/${path}`));
  }
  assert.deepEqual(await pipeline.listStatuses(), { ship: 'pending', again: 'pending', pipeline: 'pending' });
});

test('lets an admitted Reporter play, cancel and retry deploy jobs of that environment only', async () => {
  const project = await newProject(members);
  const { reporter } = project;
  const held = { when: 'manual' } as const;
  const pipeline = await createPipelineFixture(here, project, {
    ship: deploys(project, held),
    halt: deploys(project, held, 'stop'),
    other: held,
  });
  const uow = async (name: string, how: string) =>
    (await reporter.post(`${project.at}/jobs/${await pipeline.getJobId(name)}/${how}`)).status;
  assert.equal(await uow('ship', 'play'), 403);
  await protect(project, 'production', { levels: [{ user_id: reporter.id }] });
  assert.deepEqual(
    [await uow('ship', 'play'), await uow('ship', 'cancel'), await uow('ship', 'retry')],
    [200, 201, 201],
  );
  assert.deepEqual(
    [await uow('halt', 'play'), await uow('other', 'play'), await uow('ship', 'erase')],
    [403, 403, 403],
  );
  assert.equal((await pipeline.listStatuses()).ship, 'pending');
});

test('blocks a job until it is approved', async () => {
  const project = await newProject(members);
  await protect(project, 'production', { levels: [{ access_level: 30 }], rules: [{ access_level: 40 }] });
  const pipeline = await createPipelineFixture(here, project, {
    ship: deploys(project),
    look: deploys(project, {}, 'verify'),
  });
  assert.deepEqual(await pipeline.listStatuses(), { ship: 'manual', look: 'pending', pipeline: 'running' });
  const play = async () => project.developer.post(`${project.at}/jobs/${await pipeline.getJobId('ship')}/play`);
  const refusal = await play();
  assert.deepEqual([refusal.status, refusal.body], [400, { message: '400 Bad request - Unplayable Job' }]);
  await unprotect(project);
  assert.equal((await play()).status, 200);
});

test('blocks played and delayed jobs until they are approved', async () => {
  const project = await newProject(members);
  const pipeline = await createPipelineFixture(here, project, {
    ship: deploys(project),
    later: deploys(project, { when: 'delayed' }),
  });
  await protect(project, 'production', { levels: [{ access_level: 30 }], requiredApprovalCount: 1 });
  await pipeline.runJob('ship', 'success');
  await expectSuccess(project.developer.post(`${project.at}/jobs/${await pipeline.getJobId('ship')}/retry`));
  await here.runJobs();
  assert.deepEqual(await pipeline.listStatuses(), { ship: 'manual', later: 'manual', pipeline: 'manual' });
});

test('does not run a job whose user loses the right to deploy while it is pending', async () => {
  const project = await newProject(members);
  const pipeline = await createPipelineFixture(here, project, { ship: deploys(project) });
  await protect(project, 'production', { levels: [{ access_level: 40 }] });
  const params = { runner_type: 'project_type', project_id: project.id };
  const { token } = (await expectSuccess(project.owner.post('/user/runners', params))).body;
  assert.equal((await here.anonymous.post('/jobs/request', { token })).status, 204);
  assert.deepEqual(await pipeline.listStatuses(), { ship: 'failed', pipeline: 'failed' });
  assert.equal(await reasonOf(project, await pipeline.getJobId('ship')), 'protected_environment_failure');
});

test('creates the environments of jobs with their pipeline, by their first jobs', async () => {
  const project = await newProject(members);
  const file = `
ship:
  script: echo
  environment: {name: review/$CI_COMMIT_REF_SLUG, deployment_tier: staging, auto_stop_in: 2 days}
ill:
  stage: deploy
  script: echo
  variables: {INVALID: "no:name"}
  environment: $INVALID
`;
  await project.commit({ '.gitlab-ci.yml': file });
  const { body } = await expectSuccess(project.maintainer.post(`${project.at}/pipeline`, { ref: 'main' }));
  const [environment, ...others] = (await project.owner.get(`${project.at}/environments`)).body;
  assert.deepEqual(others, []);
  const { name, tier, state, auto_stop_at } = environment;
  assert.deepEqual([name, tier, state], ['review/main', 'staging', 'available']);
  assert.equal(Date.parse(auto_stop_at) - here.clock.now().getTime(), 2 * 86_400_000);
  const jobs = (await project.owner.get(`${project.at}/pipelines/${body.id}/jobs`)).body;
  const shown = jobs.map((job: { name: string; status: string; failure_reason?: string }) => [
    job.name,
    job.status,
    job.failure_reason,
  ]);
  assert.deepEqual(shown, [
    ['ill', 'failed', 'environment_creation_failure'],
    ['ship', 'pending', undefined],
  ]);
});

test('recreates a deleted environment before its job starts', async () => {
  const project = await newProject(members);
  const pipeline = await createPipelineFixture(here, project, { ship: deploys(project, { when: 'manual' }) });
  await protect(project, 'production', { levels: [{ access_level: 40 }] });
  await database.transaction((tx) => tx.deleteFrom('environments').where('project_id', '=', project.id).execute());
  const ship = await pipeline.getJobId('ship');
  assert.equal((await project.developer.post(`${project.at}/jobs/${ship}/play`)).status, 403);
  await expectSuccess(project.maintainer.post(`${project.at}/jobs/${ship}/play`));
  await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, ship, ['pending'], 'running'));
  assert.equal((await project.owner.get(`${project.at}/environments`)).body.length, 1);
});
