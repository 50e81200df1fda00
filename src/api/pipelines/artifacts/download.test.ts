import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRun } from '#test/support/job-run.ts';
import { archivedJob, insertPipelineRow, runningJob } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { expireArtifacts } from './changes.ts';
import { sendArtifact } from './upload.testing.ts';

// Downloads of artifacts by jobs and users (contract/runners.md §3.7, §5.4, §5.5).

const here = await world();
const { anonymous, clock, server } = here;
const run = jobRun();
const inAnHour = () => new Date(clock.now().getTime() + 3_600_000).toISOString();
const NOT_FOUND = { message: '404 Not found' };

const downloadAsJob = (id: number, headers = {}) => anonymous.get(`/jobs/${id}/artifacts`, {}, headers);

test('a job downloads archives of jobs that its user can read, and no others', async () => {
  const project = await here.newProject();
  const job = await archivedJob(here, project, { status: 'success' });
  const readingJob = await runningJob(here, project);
  const answer = await downloadAsJob(job.id, readingJob.headers);
  assert.deepEqual([answer.status, answer.text], [200, 'PK']);
  assert.match(answer.headers['content-disposition'] ?? '', /^attachment; filename="artifacts\.zip"/);
  const foreignJob = await runningJob(here, await here.newProject());
  assert.equal((await downloadAsJob(job.id, foreignJob.headers)).status, 403);
  assert.equal((await downloadAsJob(999_999, readingJob.headers)).status, 403);
  for (const headers of [{}, { 'JOB-TOKEN': 'glcbt-x' }, job.headers]) {
    assert.equal((await downloadAsJob(job.id, headers)).status, 401);
  }
  const noArchive = await downloadAsJob(readingJob.id, readingJob.headers);
  assert.deepEqual([noArchive.status, noArchive.body], [404, NOT_FOUND]);
});

test('a job has no administrator rights in another project, and no access once its user is blocked', async () => {
  const [project, other] = [await here.newProject(), await here.newProject()];
  const job = await archivedJob(here, project, { status: 'success' });
  const adminJobElsewhere = await runningJob(here, { id: other.id, owner: here.root });
  assert.equal((await downloadAsJob(job.id, adminJobElsewhere.headers)).status, 403);
  const adminJobInProject = await runningJob(here, { id: project.id, owner: here.root });
  assert.equal((await downloadAsJob(job.id, adminJobInProject.headers)).status, 200);
  const member = await project.addMember('developer');
  const memberJob = await runningJob(here, { id: other.id, owner: member });
  assert.equal((await downloadAsJob(job.id, memberJob.headers)).status, 200);
  await expectSuccess(here.root.post(`/users/${member.id}/block`));
  assert.equal((await downloadAsJob(job.id, memberJob.headers)).status, 403);
});

/**
 * Values of `artifacts:access`, each with the status for Reporters, Developers and Maintainers, and for jobs of these.
 */
for (const [access, ...expected] of [
  ['all', 200, 200, 200],
  ['developer', 403, 200, 200],
  ['maintainer', 403, 403, 200],
  ['none', 403, 403, 403],
] as const) {
  test(`artifacts:access ${access} restricts users and their jobs, except jobs of the same pipeline`, async () => {
    const project = await here.newProject({ with: ['reporter', 'developer', 'maintainer'], visibility: 'public' });
    const pipeline_id = await insertPipelineRow(here, project);
    const options = JSON.stringify({ artifacts: { access } });
    const job = await runningJob(here, project, { pipeline_id, options });
    assert.equal((await sendArtifact(anonymous, job)).status, 201);
    const at = `${project.at}/jobs/${job.id}/artifacts`;
    for (const [index, role] of (['reporter', 'developer', 'maintainer'] as const).entries()) {
      assert.equal((await project[role].get(at)).status, expected[index], role);
      const other = await runningJob(here, project, { user_id: project[role].id });
      assert.equal((await downloadAsJob(job.id, other.headers)).status, expected[index], `${role}'s job`);
      assert.equal(
        (await anonymous.get(at, {}, other.headers)).status,
        expected[index],
        `${role}'s job, with the rights of its user`,
      );
      const same = await runningJob(here, project, { user_id: project[role].id, pipeline_id });
      assert.equal((await downloadAsJob(job.id, same.headers)).status, 200, 'a job of the pipeline');
    }
  });
}

test('the accessibility sent with an upload overrides the CI file; without either, artifacts are public', async () => {
  const project = await here.newProject({ with: ['reporter'] });
  for (const [fields, options, status] of [
    [{ accessibility: 'private' }, {}, 403],
    [{ accessibility: 'public' }, { artifacts: { access: 'none' } }, 200],
    [{}, { artifacts: null }, 200],
  ] as const) {
    const job = await runningJob(here, project, { options: JSON.stringify(options) });
    assert.equal((await sendArtifact(anonymous, job, { fields: { ...fields } })).status, 201);
    assert.equal((await project.reporter.get(`${project.at}/jobs/${job.id}/artifacts`)).status, status);
  }
});

test('expired artifacts return 404 and are deleted, unless they were kept in time', async () => {
  const project = await here.newProject();
  const [expired, kept] = [
    await archivedJob(here, project, { status: 'success', expire_at: inAnHour() }),
    await archivedJob(here, project, { status: 'success', expire_at: inAnHour() }),
  ];
  const at = (id: number) => `${project.at}/jobs/${id}/artifacts`;
  const answer = await project.owner.post(`${at(kept.id)}/keep`);
  assert.deepEqual([answer.status, answer.body.artifacts_expire_at], [200, null]);
  clock.advance(3601);
  assert.deepEqual((await project.owner.get(at(expired.id))).body, NOT_FOUND);
  assert.equal((await project.owner.get(at(kept.id))).text, 'PK');
  await expireArtifacts.handle(server.services, {}, run);
  const remaining = server.services.database.reader
    .selectFrom('job_artifacts')
    .select('job_id')
    .where('project_id', '=', project.id);
  assert.deepEqual(
    (await remaining.execute()).map(({ job_id }) => job_id),
    [kept.id],
  );
});

test('Maintainers delete artifacts; Developers get 403', async () => {
  const project = await here.newProject({ with: ['developer'] });
  const { id } = await archivedJob(here, project, { status: 'success' });
  const at = `${project.at}/jobs/${id}/artifacts`;
  assert.equal((await project.developer.delete(at)).status, 403);
  assert.equal((await project.owner.delete(at)).status, 204);
  assert.equal((await project.owner.get(at)).status, 404);
});

test('erases the log and artifacts of a finished job, once', async () => {
  const project = await here.newProject();
  const job = await archivedJob(here, project);
  const headers = { ...job.headers, 'Content-Range': '0-1' };
  await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw: 'Hi', headers });
  const at = `${project.at}/jobs/${job.id}`;
  const tooEarly = await project.owner.post(`${at}/erase`);
  assert.deepEqual([tooEarly.status, tooEarly.body], [403, { message: '403 Forbidden - Job is not erasable!' }]);
  assert.equal((await project.owner.get(`${at}/trace`)).text, 'Hi');
  await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' });
  const erased = await project.owner.post(`${at}/erase`);
  assert.deepEqual([erased.status, erased.body.erased_at], [201, clock.now().toISOString()]);
  assert.equal((await project.owner.get(`${at}/trace`)).text, '');
  assert.equal((await project.owner.get(`${at}/artifacts`)).status, 404);
  assert.equal((await project.owner.post(`${at}/erase`)).status, 403);
});

test('a running job reads itself; other credentials get 404, no credentials 401', async () => {
  const project = await here.newProject();
  const { id, headers, token } = await runningJob(here, project);
  assert.equal((await anonymous.get('/job', {}, headers)).body.id, id);
  assert.equal((await anonymous.get('/job', { job_token: token })).body.id, id);
  const other = await project.owner.get('/job');
  assert.deepEqual([other.status, other.body], [404, { message: '404 Job Not Found' }]);
  assert.equal((await anonymous.get('/job')).status, 401);
});
