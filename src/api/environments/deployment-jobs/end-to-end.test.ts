import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceRunner } from '#test/support/reference-runner.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// From a push to the deletion of the review environment (contract/environments.md Part 5).

const here = await world();
const { anonymous, server, newProject, runJobs, clock } = here;

const ciFile = (stop = 'true') => `
stages: [deploy]
ship:
  stage: deploy
  script: [echo to $CI_ENVIRONMENT_SLUG $CI_ENVIRONMENT_TIER $CI_ENVIRONMENT_URL]
  environment:
    name: review/$CI_COMMIT_REF_SLUG
    url: https://$CI_ENVIRONMENT_SLUG.example.com/$CI_JOB_TOKEN
    on_stop: end
    auto_stop_in: 1 day
end:
  stage: deploy
  when: manual
  script: ["${stop}"]
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}
`;

/** A project in which a push has been deployed by a runner. */
async function deployed(stop?: string) {
  const project = await newProject({ with: ['maintainer'] });
  const { maintainer } = project;
  await project.commit({ '.gitlab-ci.yml': ciFile(stop) });
  await runJobs();
  const params = { runner_type: 'project_type', project_id: project.id };
  const { token } = (await expectSuccess(maintainer.post('/user/runners', params))).body;
  await expectSuccess(anonymous.post('/runners/verify', { token, system_id: 's_reference' }));
  const runner = referenceRunner(server.address, token);
  const ran = await runner.next();
  const [{ id }] = (await maintainer.get(`${project.at}/environments`)).body;
  const at = `${project.at}/environments/${id}`;
  const environment = async () => (await maintainer.get(at)).body;
  return { project, maintainer, runner, ran, at, environment, state: async () => (await environment()).state };
}

test('deploys a push to a review environment, stops it by its job and deletes it', async () => {
  const { maintainer, runner, ran, at, environment, state } = await deployed();
  const { slug, external_url, auto_stop_at, last_deployment } = await environment();
  assert.deepEqual([ran?.name, ran?.status], ['ship', 'success']);
  assert.match(ran?.log ?? '', new RegExp(`^to ${slug} development https://${slug}\\.example\\.com/`));
  // No response contains a token.
  assert.equal(external_url, `https://${slug}.example.com/$CI_JOB_TOKEN`);
  assert.equal(Date.parse(auto_stop_at) - clock.now().getTime(), 86_400_000);
  assert.equal(last_deployment.deployable.name, 'ship');
  assert.equal((await maintainer.delete(at)).status, 403);
  assert.equal((await expectSuccess(maintainer.post(`${at}/stop`))).body.state, 'stopping');
  assert.equal((await runner.next())?.name, 'end');
  assert.deepEqual([await state(), (await environment()).auto_stop_at], ['stopped', null]);
  assert.equal((await maintainer.delete(at)).status, 204);
  assert.equal((await maintainer.get(at)).status, 404);
});

test('keeps an environment stopping until a stop job succeeds', async () => {
  const { project, maintainer, runner, at, state } = await deployed('false');
  await expectSuccess(maintainer.post(`${at}/stop`));
  assert.equal((await runner.next())?.status, 'failed');
  assert.equal(await state(), 'stopping');
  const jobs = (await maintainer.get(`${project.at}/jobs`)).body;
  const ship = jobs.find(({ name }: { name: string }) => name === 'ship');
  await expectSuccess(maintainer.post(`${project.at}/jobs/${ship.id}/retry`));
  assert.equal((await runner.next())?.name, 'ship');
  assert.equal(await state(), 'available');
});

test('keeps the stop job manual on a forced stop', async () => {
  const { project, maintainer, runner, at, state } = await deployed();
  await expectSuccess(maintainer.post(`${at}/stop`, { force: true }));
  assert.deepEqual([await state(), await runner.next()], ['stopped', null]);
  const jobs = (await maintainer.get(`${project.at}/jobs`)).body;
  assert.equal(jobs.find(({ name }: { name: string }) => name === 'end').status, 'manual');
});

test('deploys nothing on approval if the user has lost the right to deploy', async () => {
  const project = await newProject({ with: ['developer', 'maintainer'] });
  const { developer, maintainer } = project;
  const rule = { deploy_access_levels: [{ access_level: 30 }], required_approval_count: 1, name: 'review/topic' };
  await expectSuccess(maintainer.post(`${project.at}/protected_environments`, rule));
  await project.commit({ a: 'a' });
  await expectSuccess(developer.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' }));
  const action = { action: 'create', file_path: '.gitlab-ci.yml', content: ciFile() };
  const push = { branch: 'topic', commit_message: 'Deploy', actions: [action] };
  await expectSuccess(developer.post(`${project.repository}/commits`, push));
  await runJobs();
  const ship = async () =>
    (await maintainer.get(`${project.at}/jobs`)).body.find(({ name }: { name: string }) => name === 'ship');
  const [{ id, status }] = (await maintainer.get(`${project.at}/deployments`)).body;
  assert.deepEqual([(await ship()).status, status], ['manual', 'blocked']);
  await expectSuccess(maintainer.put(`${project.at}/members/${developer.id}`, { access_level: 20 }));
  await expectSuccess(maintainer.post(`${project.at}/deployments/${id}/approval`, { status: 'approved' }));
  assert.deepEqual([(await ship()).status, (await ship()).failure_reason], ['failed', 'protected_environment_failure']);
  assert.equal((await maintainer.get(`${project.at}/deployments/${id}`)).body.status, 'failed');
});
