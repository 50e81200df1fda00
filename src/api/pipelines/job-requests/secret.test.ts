import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Tokens have the prefixes of the contract and are returned only once (contract/runners.md §1.8, §2.1, §3.3).

const here = await world({ project: { readme: true } });
const { anonymous, owner, project, root } = here;

test('returns the tokens of runners and jobs only in the response that issues them', async () => {
  const input = { runner_type: 'project_type', project_id: project.id };
  const created = await expectSuccess(owner.post('/user/runners', input));
  const { body: projectBody } = await owner.get(project.at);
  const registered = await anonymous.post('/runners', { token: projectBody.runners_token });
  const id = await insertJobRow(here, project);
  const job = await anonymous.post('/jobs/request', { token: created.body.token, system_id: 's_1' });
  assert.equal(job.body.id, id);
  const secrets: string[] = [created.body.token, registered.body.token, job.body.token];
  for (const [at, prefix] of ['glrt-', 'glrtr-', 'glcbt-'].entries()) {
    assert.ok(secrets[at]!.startsWith(prefix) && secrets[at]!.length >= prefix.length + 20);
  }
  const { pipeline } = (await owner.get(`${project.at}/jobs/${id}`)).body;
  const runner = `/runners/${created.body.id}`;
  const projectPaths = [
    '/jobs',
    `/jobs/${id}`,
    `/jobs/${id}/trace`,
    '/pipelines',
    `/pipelines/${pipeline.id}`,
    '/runners',
  ];
  const allProjectPaths = [...projectPaths, `/pipelines/${pipeline.id}/jobs`, `/pipelines/${pipeline.id}/variables`];
  const paths = [runner, `${runner}/managers`, `${runner}/jobs`, '/runners', '/runners/all'];
  for (const path of [...paths, ...allProjectPaths.map((end) => `${project.at}${end}`)]) {
    const { status, text } = await root.get(path);
    assert.equal(status, 200, path);
    for (const secret of secrets) assert.ok(!text.includes(secret), path);
  }
});
