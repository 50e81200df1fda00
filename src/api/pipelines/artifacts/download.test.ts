import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRun } from '#test/support/job-run.ts';
import { archivedJob, pipelineRow, runningJob } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';
import { expireArtifacts } from './expire.ts';
import { sendArtifact } from './upload.testing.ts';

// What jobs have left, for other jobs and for people (contract/runners.md §3.7, §5.4, §5.5).

const here = await world();
const { anonymous, clock, server } = here;
const run = jobRun();
const inAnHour = () => new Date(clock.now().getTime() + 3_600_000).toISOString();
const NOT_FOUND = { message: '404 Not found' };

const given = (id: number, headers = {}) => anonymous.get(`/jobs/${id}/artifacts`, {}, headers);

test('a job gets the archive of another one whose jobs its user may read, and no other', async () => {
  const project = await here.newProject();
  const job = await archivedJob(here, project, { status: 'success' });
  const reader = await runningJob(here, project);
  const answer = await given(job.id, reader.headers);
  assert.deepEqual([answer.status, answer.text], [200, 'PK']);
  assert.match(answer.headers['content-disposition'] ?? '', /^attachment; filename="artifacts\.zip"/);
  const stranger = await runningJob(here, await here.newProject());
  assert.equal((await given(job.id, stranger.headers)).status, 403);
  assert.equal((await given(999_999, reader.headers)).status, 403);
  for (const headers of [{}, { 'JOB-TOKEN': 'glcbt-x' }, job.headers]) {
    assert.equal((await given(job.id, headers)).status, 401);
  }
  const none = await given(reader.id, reader.headers);
  assert.deepEqual([none.status, none.body], [404, NOT_FOUND]);
});

test('a job is no administrator in another project, and nobody’s reader once its user is blocked', async () => {
  const [project, other] = [await here.newProject(), await here.newProject()];
  const job = await archivedJob(here, project, { status: 'success' });
  const elsewhere = await runningJob(here, { id: other.id, owner: here.root });
  assert.equal((await given(job.id, elsewhere.headers)).status, 403);
  const inside = await runningJob(here, { id: project.id, owner: here.root });
  assert.equal((await given(job.id, inside.headers)).status, 200);
  const member = await project.add('developer');
  const members = await runningJob(here, { id: other.id, owner: member });
  assert.equal((await given(job.id, members.headers)).status, 200);
  await done(here.root.post(`/users/${member.id}/block`));
  assert.equal((await given(job.id, members.headers)).status, 403);
});

/** Who may have it: a table of the file's words and what Reporter, Developer, Maintainer, and jobs of these hear. */
for (const [access, ...expected] of [
  ['all', 200, 200, 200],
  ['developer', 403, 200, 200],
  ['maintainer', 403, 403, 200],
  ['none', 403, 403, 403],
] as const) {
  test(`what a file gives to ${access} others neither get nor do their jobs, but for those of the pipeline`, async () => {
    const project = await here.newProject({ with: ['reporter', 'developer', 'maintainer'], visibility: 'public' });
    const pipeline_id = await pipelineRow(here, project);
    const options = JSON.stringify({ artifacts: { access } });
    const job = await runningJob(here, project, { pipeline_id, options });
    assert.equal((await sendArtifact(anonymous, job)).status, 201);
    const at = `${project.at}/jobs/${job.id}/artifacts`;
    for (const [index, role] of (['reporter', 'developer', 'maintainer'] as const).entries()) {
      assert.equal((await project[role].get(at)).status, expected[index], role);
      const other = await runningJob(here, project, { user_id: project[role].id });
      assert.equal((await given(job.id, other.headers)).status, expected[index], `${role}'s job`);
      assert.equal((await anonymous.get(at, {}, other.headers)).status, expected[index], `${role}'s job, as he`);
      const same = await runningJob(here, project, { user_id: project[role].id, pipeline_id });
      assert.equal((await given(job.id, same.headers)).status, 200, 'a job of the pipeline');
    }
  });
}

test('what is sent with a word of its own goes by that, and a file that says nothing hides nothing', async () => {
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

test('what has expired is gone, until somebody keeps it in time', async () => {
  const project = await here.newProject();
  const [gone, kept] = [
    await archivedJob(here, project, { status: 'success', expire_at: inAnHour() }),
    await archivedJob(here, project, { status: 'success', expire_at: inAnHour() }),
  ];
  const at = (id: number) => `${project.at}/jobs/${id}/artifacts`;
  const answer = await project.owner.post(`${at(kept.id)}/keep`);
  assert.deepEqual([answer.status, answer.body.artifacts_expire_at], [200, null]);
  clock.advance(3601);
  assert.deepEqual((await project.owner.get(at(gone.id))).body, NOT_FOUND);
  assert.equal((await project.owner.get(at(kept.id))).text, 'PK');
  await expireArtifacts.handle(server.services, {}, run);
  const left = server.services.database.reader
    .selectFrom('job_artifacts')
    .select('job_id')
    .where('project_id', '=', project.id);
  assert.deepEqual(
    (await left.execute()).map(({ job_id }) => job_id),
    [kept.id],
  );
});

test('Maintainers delete what a job has left', async () => {
  const project = await here.newProject({ with: ['developer'] });
  const { id } = await archivedJob(here, project, { status: 'success' });
  const at = `${project.at}/jobs/${id}/artifacts`;
  assert.equal((await project.developer.delete(at)).status, 403);
  assert.equal((await project.owner.delete(at)).status, 204);
  assert.equal((await project.owner.get(at)).status, 404);
});

test('erasing takes log and files, once, of what has ended', async () => {
  const project = await here.newProject();
  const job = await archivedJob(here, project);
  const headers = { ...job.headers, 'Content-Range': '0-1' };
  await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw: 'Hi', headers });
  const at = `${project.at}/jobs/${job.id}`;
  const early = await project.owner.post(`${at}/erase`);
  assert.deepEqual([early.status, early.body], [403, { message: '403 Forbidden - Job is not erasable!' }]);
  assert.equal((await project.owner.get(`${at}/trace`)).text, 'Hi');
  await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' });
  const erased = await project.owner.post(`${at}/erase`);
  assert.deepEqual([erased.status, erased.body.erased_at], [201, clock.now().toISOString()]);
  assert.equal((await project.owner.get(`${at}/trace`)).text, '');
  assert.equal((await project.owner.get(`${at}/artifacts`)).status, 404);
  assert.equal((await project.owner.post(`${at}/erase`)).status, 403);
});

test('a running job reads itself, other credentials read no job', async () => {
  const project = await here.newProject();
  const { id, headers, token } = await runningJob(here, project);
  assert.equal((await anonymous.get('/job', {}, headers)).body.id, id);
  assert.equal((await anonymous.get('/job', { job_token: token })).body.id, id);
  const other = await project.owner.get('/job');
  assert.deepEqual([other.status, other.body], [404, { message: '404 Job Not Found' }]);
  assert.equal((await anonymous.get('/job')).status, 401);
});
