import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRow } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';

// What begins as the contract says and is shown once alone: tokens (contract/runners.md §1.8, §2.1, §3.3).

const here = await world({ project: { readme: true } });
const { anonymous, owner, project, root } = here;

test('the tokens of runners and jobs are in no answer but the one that gives them', async () => {
  const order = { runner_type: 'project_type', project_id: project.id };
  const made = await done(owner.post('/user/runners', order));
  const { body: shown } = await owner.get(project.at);
  const registered = await anonymous.post('/runners', { token: shown.runners_token });
  const id = await jobRow(here, project);
  const job = await anonymous.post('/jobs/request', { token: made.body.token, system_id: 's_1' });
  assert.equal(job.body.id, id);
  const secrets: string[] = [made.body.token, registered.body.token, job.body.token];
  for (const [at, prefix] of ['glrt-', 'glrtr-', 'glcbt-'].entries()) {
    assert.ok(secrets[at]!.startsWith(prefix) && secrets[at]!.length >= prefix.length + 20);
  }
  const { pipeline } = (await owner.get(`${project.at}/jobs/${id}`)).body;
  const runner = `/runners/${made.body.id}`;
  const places = ['/jobs', `/jobs/${id}`, `/jobs/${id}/trace`, '/pipelines', `/pipelines/${pipeline.id}`, '/runners'];
  const inside = [...places, `/pipelines/${pipeline.id}/jobs`, `/pipelines/${pipeline.id}/variables`];
  const paths = [runner, `${runner}/managers`, `${runner}/jobs`, '/runners', '/runners/all'];
  for (const path of [...paths, ...inside.map((end) => `${project.at}${end}`)]) {
    const { status, text } = await root.get(path);
    assert.equal(status, 200, path);
    for (const secret of secrets) assert.ok(!text.includes(secret), path);
  }
});
