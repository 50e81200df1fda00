import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { referenceRunner } from '#test/support/reference-runner.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// A pipeline from the push to its end, with a registered runner (contract/runners.md §3, §6).

const here = await world();
const { anonymous, server } = here;
const git = promisify(execFile);

/** Three stages: the second uses artifacts of the first, the third is manual. */
const ciFile = (line: string) => `
stages: [first, second, third]
build:
  stage: first
  script: [echo building]
  artifacts: {paths: [out/]}
test:
  stage: second
  script:
    - ${line}
deploy:
  stage: third
  when: manual
  script: [echo out]
`;

async function push(project: Project, files: Readonly<Record<string, string>>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-push-'));
  const run = (...args: string[]) =>
    git('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: directory,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    });
  try {
    await run('init', '-q', '-b', 'main');
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    await run('add', '.');
    await run('commit', '-qm', 'Add CI file');
    const url = new URL(`${server.address}/${project.path_with_namespace}.git`);
    url.username = 'any';
    url.password = project.owner.token ?? '';
    await run('push', '-q', url.href, 'main');
  } finally {
    await rm(directory, { recursive: true });
  }
  await here.runJobs();
}

/** Pushes the CI file to a new project and registers a runner. */
async function startPipeline(line = 'echo testing $CI_COMMIT_BRANCH') {
  const project = await here.newProject();
  await push(project, { '.gitlab-ci.yml': ciFile(line) });
  const [{ id }] = (await project.owner.get(`${project.at}/pipelines`)).body;
  const jobs = (await project.owner.get(`${project.at}/pipelines/${id}/jobs`, { include_retried: true })).body;
  const idOf = (name: string): number => jobs.find((job: { name: string }) => job.name === name).id;
  const input = { runner_type: 'project_type', project_id: project.id };
  const { token } = (await expectSuccess(project.owner.post('/user/runners', input))).body;
  await expectSuccess(anonymous.post('/runners/verify', { token, system_id: 's_reference' }));
  const status = async () => (await project.owner.get(`${project.at}/pipelines/${id}`)).body.status;
  const runner = referenceRunner(server.address, token);
  return { project, status, test: idOf('test'), deploy: idOf('deploy'), runner };
}

test('runs a pipeline of three stages with artifacts to its end', async () => {
  const { project, runner, status, deploy } = await startPipeline();
  assert.deepEqual(await runner.next(), { name: 'build', status: 'success', log: 'building\n', files: [] });
  const second = await runner.next();
  assert.deepEqual(second, { name: 'test', status: 'success', log: 'testing main\n', files: ['of build'] });
  assert.equal(await runner.next(), null);
  assert.equal(await status(), 'success');
  await expectSuccess(project.owner.post(`${project.at}/jobs/${deploy}/play`));
  assert.equal((await runner.next())?.name, 'deploy');
  assert.equal((await project.owner.get(`${project.at}/jobs/${deploy}/trace`)).text, 'out\n');
});

test('retries a failed job, and does not assign a canceled one', async () => {
  const { project, runner, status, test } = await startPipeline('test -n "$NO_SUCH_VARIABLE"');
  await runner.next();
  assert.equal((await runner.next())?.status, 'failed');
  assert.equal(await status(), 'failed');
  const retried = await expectSuccess(project.owner.post(`${project.at}/jobs/${test}/retry`));
  await expectSuccess(project.owner.post(`${project.at}/jobs/${retried.body.id}/cancel`));
  assert.equal(await runner.next(), null);
  assert.equal(await status(), 'canceled');
});
