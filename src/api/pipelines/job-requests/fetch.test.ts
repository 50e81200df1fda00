import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkingCopy } from '#git/transport/client.testing.ts';
import { insertJobRow, insertPipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Runners fetch with the job token (contract/repository.md §5, contract/conventions.md §7 "Job tokens").

const here = await world();
const { anonymous } = here;

/** Assigns a job of a new project to a runner. */
async function assignJob() {
  const project = await here.newProject({ readme: true });
  const sha: string = (await expectSuccess(project.owner.get(`${project.repository}/branches/main`))).body.commit.id;
  const pipelineId = await insertPipelineRow(here, project, { sha });
  await insertJobRow(here, project, { pipeline_id: pipelineId });
  const { token } = await runnerRow(here, { projects: [project.id] });
  const job = (await expectSuccess(anonymous.post('/jobs/request', { token }))).body;
  return { project, pipelineId, sha, job };
}

test('fetches the refspecs of a job with its URL while the job runs, and fails afterwards', async (t) => {
  const { pipelineId, sha, job } = await assignJob();
  const pipelineRef = `refs/pipelines/${pipelineId}`;
  const { repo_url, refspecs, depth } = job.git_info;
  assert.deepEqual(refspecs, [`+${pipelineRef}:${pipelineRef}`, '+refs/heads/main:refs/remotes/origin/main']);
  const copy = await createWorkingCopy(t);
  const fetch = () => copy.tryGit('fetch', '--depth', String(depth), repo_url, ...refspecs);
  assert.equal((await fetch()).code, 0);
  assert.equal(await copy.git('rev-parse', pipelineRef), sha);
  await expectSuccess(anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' }));
  assert.notEqual((await fetch()).code, 0);
});

test('rejects pushes of a job, and its fetches from another private project', async (t) => {
  const { project, job } = await assignJob();
  const copy = await createWorkingCopy(t);
  await copy.commit('One', { 'a.txt': 'a' });
  const pushed = await copy.tryGit('push', job.git_info.repo_url, 'HEAD:refs/heads/mine');
  assert.match(pushed.stderr, /403/);
  const other = await here.newProject({ owner: project.owner, readme: true });
  const otherUrl = job.git_info.repo_url.replace(project.path_with_namespace, other.path_with_namespace);
  assert.notEqual((await copy.tryGit('ls-remote', otherUrl)).code, 0);
});

test('deletes the ref of a pipeline when the pipeline has finished', async (t) => {
  const { project, pipelineId, job } = await assignJob();
  const copy = await createWorkingCopy(t);
  const credentials = `http://x:${project.owner.token}@`;
  const url = `${here.server.address.replace('http://', credentials)}/${project.path_with_namespace}.git`;
  const hasPipelineRef = async () => (await copy.git('ls-remote', url)).includes(`refs/pipelines/${pipelineId}`);
  assert.equal(await hasPipelineRef(), true);
  await expectSuccess(anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' }));
  await here.runJobs();
  assert.equal(await hasPipelineRef(), false);
});
