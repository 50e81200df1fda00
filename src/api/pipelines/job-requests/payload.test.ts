import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archivedJob, insertJobRow, insertPipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The payload of a job for its runner (contract/runners.md §3.3).

const here = await world();
const { anonymous, clock, server } = here;

const OPTIONS = {
  before_script: ['echo before'],
  script: ['make test'],
  after_script: ['date'],
  variables: [{ key: 'MODE', value: 'fast-$CI_JOB_NAME', raw: false }],
  image: { name: 'ruby:3.3', entrypoint: null, ports: [], executor_opts: {}, pull_policy: null },
  services: [],
  cache: [
    {
      key: 'default',
      untracked: false,
      paths: ['vendor/'],
      policy: 'pull-push',
      when: 'on_success',
      fallback_keys: ['old'],
      unprotect: false,
    },
  ],
  artifacts: {
    name: null,
    untracked: false,
    paths: ['out/'],
    exclude: [],
    when: 'on_success',
    expire_in: '1 week',
    expose_as: null,
    access: 'all',
    reports: { junit: ['junit.xml'] },
  },
};
const FEATURES = { upload_multiple_artifacts: true, fallback_cache_keys: true };

/** Assigns a job with these options in a new project to a runner, and returns its payload as `body`. */
async function assignJob(
  options: object,
  row: Parameters<typeof insertJobRow>[2] = {},
  projectAttributes: object = {},
) {
  const project = await here.newProject({ readme: true, ...projectAttributes });
  const sha: string = (await expectSuccess(project.owner.get(`${project.repository}/branches/main`))).body.commit.id;
  const pipelineId = await insertPipelineRow(here, project, { sha, ref: 'main' });
  const build = { pipeline_id: pipelineId, name: 'build', stage: 'build', stage_index: 1, status: 'success' } as const;
  const dependency = await archivedJob(here, project, build);
  const id = await insertJobRow(here, project, {
    pipeline_id: pipelineId,
    name: 'unit',
    options: JSON.stringify(options),
    ...row,
  });
  const runner = await runnerRow(here, { projects: [project.id], tags: ['docker'], description: 'box' });
  clock.advance(2);
  const params = { token: runner.token, system_id: 's_1', info: { features: FEATURES } };
  const { body } = await expectSuccess(anonymous.post('/jobs/request', params));
  const values = new Map<string, string>(
    body.variables.map(({ key, value }: { key: string; value: string }) => [key, value]),
  );
  return { project, sha, pipelineId, id, dependency, runner, body, values };
}

test('contains every key of the contract', async () => {
  const { body, id, pipelineId, project, dependency } = await assignJob(OPTIONS);
  const { token } = body;
  assert.deepEqual(body.steps, [
    { name: 'script', script: ['echo before', 'make test'], timeout: 3600, when: 'on_success', allow_failure: false },
    { name: 'after_script', script: ['date'], timeout: 3600, when: 'always', allow_failure: true },
  ]);
  const archive = { name: null, untracked: false, paths: ['out/'], when: 'on_success', expire_in: '1 week' };
  const junit = { name: 'junit.xml', untracked: false, paths: ['junit.xml'], when: 'always', expire_in: '1 week' };
  assert.deepEqual(body.artifacts, [
    { ...archive, artifact_type: 'archive', artifact_format: 'zip' },
    { ...junit, artifact_type: 'junit', artifact_format: 'gzip' },
  ]);
  const cache = { key: 'default-protected', untracked: false, paths: ['vendor/'], policy: 'pull-push' };
  assert.deepEqual(body.cache, [{ ...cache, when: 'on_success', fallback_keys: ['old-protected'] }]);
  const file = { filename: 'artifacts.zip', size: 2 };
  assert.deepEqual(body.dependencies, [{ id: dependency.id, name: 'build', token, artifacts_file: file }]);
  assert.deepEqual([body.inputs, body.hooks, body.services, body.credentials], [[], [], [], []]);
  assert.deepEqual(body.image, OPTIONS.image);
  assert.deepEqual(body.runner_info, { timeout: 3600, runner_session_url: null });
  assert.deepEqual([body.id, body.allow_git_fetch, body.features.trace_sections], [id, true, true]);
  const { instance_id, instance_uuid, ...info } = body.job_info;
  assert.ok(instance_id && /^[0-9a-f-]{36}$/.test(instance_uuid));
  const namespace = project.namespace.id;
  assert.deepEqual(info, {
    id,
    name: 'unit',
    stage: 'test',
    pipeline_id: pipelineId,
    project_id: project.id,
    project_name: project.name,
    project_full_path: project.path_with_namespace,
    namespace_id: namespace,
    root_namespace_id: namespace,
    organization_id: 1,
    user_id: project.owner.id,
    scoped_user_id: null,
    time_in_queue_seconds: 2,
    project_jobs_running_on_instance_runners_count: '+Inf',
    queue_size: 1,
    queue_depth: 1,
  });
});

test('uses null or empty arrays for missing keywords, and one step', async () => {
  const payload = (await assignJob({ script: ['true'] }, { needs: '[]' })).body;
  assert.deepEqual([payload.image, payload.artifacts, payload.cache, payload.dependencies], [null, null, [], []]);
  assert.equal(payload.steps.length, 1);
});

test('does not allow git fetch in a project with the build strategy clone', async () => {
  const { body } = await assignJob({ script: ['true'] }, {}, { build_git_strategy: 'clone' });
  assert.equal(body.allow_git_fetch, false);
});

test('separates caches of protected and other refs, unless the project or the job disables it', async () => {
  const [cache] = OPTIONS.cache;
  const cacheKeys = async (projectAttributes: object, unprotect = false) => {
    const { body } = await assignJob({ ...OPTIONS, cache: [{ ...cache, unprotect }] }, {}, projectAttributes);
    const [{ key, fallback_keys }] = body.cache;
    return [key, ...fallback_keys];
  };
  assert.deepEqual(await cacheKeys({ ci_separated_caches: true }, true), [
    'default-non_protected',
    'old-non_protected',
  ]);
  assert.deepEqual(await cacheKeys({ ci_separated_caches: false }), ['default', 'old']);
});

test('contains predefined variables and expands references', async () => {
  const { body, values, id, sha, pipelineId, project, runner } = await assignJob(OPTIONS);
  const expected = {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_PATH: project.path_with_namespace,
    CI_COMMIT_SHA: sha,
    CI_COMMIT_BRANCH: 'main',
    CI_PIPELINE_ID: String(pipelineId),
    CI_JOB_ID: String(id),
    CI_JOB_NAME: 'unit',
    CI_JOB_STAGE: 'test',
    CI_JOB_TOKEN: body.token,
    CI_NODE_TOTAL: '1',
    MODE: 'fast-unit',
    CI_RUNNER_ID: String(runner.id),
    CI_RUNNER_TAGS: '["docker"]',
    CI_RUNNER_DESCRIPTION: 'box',
    CI_REGISTRY_USER: 'gitlab-ci-token',
    GITLAB_USER_LOGIN: project.owner.username,
    CI_API_V4_URL: `${server.address}/api/v4`,
    CI_REPOSITORY_URL: body.git_info.repo_url,
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(values.get(key), value, key);
  const tokenVariable = body.variables.find(({ key }: { key: string }) => key === 'CI_JOB_TOKEN');
  assert.deepEqual(tokenVariable, { key: 'CI_JOB_TOKEN', value: body.token, public: false, masked: true });
  for (const { value } of body.variables) assert.equal(typeof value, 'string');
});

test('restricts the log to Developers if variables make the runner print all that it does', async () => {
  for (const [key, value, status] of [
    ['CI_DEBUG_TRACE', 'true', 403],
    ['CI_DEBUG_SERVICES', '1', 403],
    ['CI_DEBUG_TRACE', 'false', 200],
  ] as const) {
    const { project, id } = await assignJob({ ...OPTIONS, variables: [{ key, value }] });
    const reporter = await project.addMember('reporter');
    assert.equal((await reporter.get(`${project.at}/jobs/${id}/trace`)).status, status, `${key}=${value}`);
    assert.equal((await project.owner.get(`${project.at}/jobs/${id}/trace`)).status, 200);
  }
});
