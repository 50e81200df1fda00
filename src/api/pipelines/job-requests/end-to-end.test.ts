import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRow, pipelineRow } from '../../../../test/jobs.ts';
import { referenceRunner } from '../../../../test/reference-runner.ts';
import { done, world } from '../../../../test/world.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { beginPipeline } from '../processing/index.ts';

// A runner from its registration to the end of a pipeline (contract/runners.md §3).

const here = await world();
const { anonymous, server } = here;

const FILES = {
  name: null,
  untracked: false,
  paths: ['out/'],
  exclude: [],
  when: 'on_success',
  expire_in: null,
  reports: {},
};

/** Three stages: the second wants the first one's files, the third somebody has to start. */
async function begun(script = 'echo testing $CI_COMMIT_BRANCH') {
  const project = await here.newProject({ readme: true });
  const sha: string = (await done(project.owner.get(`${project.repository}/branches/main`))).body.commit.id;
  const id = await pipelineRow(here, project, { sha, status: 'created' });
  const row = { pipeline_id: id, status: 'created', queued_at: null } as const;
  const options = (line: string, artifacts: object | null = null) => JSON.stringify({ script: [line], artifacts });
  await jobRow(here, project, { ...row, name: 'build', stage_index: 1, options: options('echo building', FILES) });
  const test = await jobRow(here, project, { ...row, name: 'test', stage_index: 2, options: options(script) });
  const manual = { stage_index: 3, run_when: 'manual', allow_failure: true, options: options('echo out') } as const;
  const deploy = await jobRow(here, project, { ...row, name: 'deploy', ...manual });
  await server.rooms.acting(NOBODY, (act) => beginPipeline(act, { id, project_id: project.id }));
  const wish = { runner_type: 'project_type', project_id: project.id };
  const { token } = (await done(project.owner.post('/user/runners', wish))).body;
  await done(anonymous.post('/runners/verify', { token, system_id: 's_reference' }));
  const status = async () => (await project.owner.get(`${project.at}/pipelines/${id}`)).body.status;
  return { project, status, test, deploy, runner: referenceRunner(server.address, token) };
}

test('a pipeline of three stages runs to its end, files and all', async () => {
  const { project, runner, status, deploy } = await begun();
  assert.deepEqual(await runner.next(), { name: 'build', status: 'success', log: 'building\n', files: [] });
  const second = await runner.next();
  assert.deepEqual(second, { name: 'test', status: 'success', log: 'testing main\n', files: ['of build'] });
  assert.equal(await runner.next(), null);
  assert.equal(await status(), 'success');
  await done(project.owner.post(`${project.at}/jobs/${deploy}/play`));
  assert.equal((await runner.next())?.name, 'deploy');
  assert.equal((await project.owner.get(`${project.at}/jobs/${deploy}/trace`)).text, 'out\n');
});

test('one that fails can be retried, one that is canceled is run by nobody', async () => {
  const { project, runner, status, test } = await begun('test -n "$NO_SUCH_VARIABLE"');
  await runner.next();
  assert.equal((await runner.next())?.status, 'failed');
  assert.equal(await status(), 'failed');
  const again = await done(project.owner.post(`${project.at}/jobs/${test}/retry`));
  await done(project.owner.post(`${project.at}/jobs/${again.body.id}/cancel`));
  assert.equal(await runner.next(), null);
  assert.equal(await status(), 'canceled');
});
