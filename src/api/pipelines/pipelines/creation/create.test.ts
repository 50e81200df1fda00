import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobOptions } from '#api/pipelines/ci-file/index.ts';
import { loadJobOptions } from '#domain/jobs.ts';
import { type Project, world } from '#test/support/world.ts';

const CI_FILE = '.gitlab-ci.yml';
const FILE = `
stages: [build, test]
compile: {stage: build, script: make, tags: [linux, x64], timeout: 1h}
unit: {stage: test, script: [make test], needs: [compile], environment: {name: review/$CI_COMMIT_REF_SLUG}}
later: {stage: test, script: x, when: manual, resource_group: prod}
`;

type Caller = Project['owner'];
type Params = Readonly<Record<string, unknown>>;

const create = (project: Project, caller: Caller, params: Params = { ref: 'main' }) =>
  caller.post(`${project.at}/pipeline`, params);

const rejectedMessage = async (project: Project, caller: Caller, params?: Params) => {
  const before = await pipelinesOf(project);
  const { status, body } = await create(project, caller, params);
  assert.deepEqual(await pipelinesOf(project), before);
  assert.equal(status, 400, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.message), ['base']);
  return body.message.base[0] as string;
};

async function pipelinesOf({ id }: Project) {
  const { server } = await world();
  const pipelines = server.services.database.reader.selectFrom('pipelines').selectAll();
  return pipelines.where('project_id', '=', id).orderBy('id').execute();
}

async function jobsOf({ id }: Project) {
  const { server } = await world();
  const jobs = server.services.database.reader.selectFrom('jobs').selectAll();
  return jobs.where('project_id', '=', id).orderBy('id').execute();
}

/** Creates a project with this CI file and no pipelines, whose Developers may push to `main`. */
async function projectWithCiFile(text: string | null) {
  const { newProject, runJobs } = await world();
  const project = await newProject({ with: ['developer', 'reporter'], readme: true });
  await project.owner.delete(`${project.at}/protected_branches/main`);
  if (text !== null) await project.commit({ [CI_FILE]: text }, { message: 'Add CI file [skip ci]' });
  await runJobs();
  return project;
}

test('returns the new pipeline with all attributes', async () => {
  const project = await projectWithCiFile(FILE);
  const { status, body } = await create(project, project.developer);
  assert.equal(status, 201, JSON.stringify(body));
  const { id, sha, created_at, updated_at, user, detailed_status, ...rest } = body;
  assert.match(sha, /^[0-9a-f]{40}$/);
  assert.equal(user.id, project.developer.id);
  assert.match(detailed_status.icon, /^status_(created|pending)$/);
  assert.equal(detailed_status.details_path, `/${project.path_with_namespace}/-/pipelines/${id}`);
  assert.deepEqual(rest, {
    iid: 2,
    project_id: project.id,
    ref: 'main',
    status: rest.status,
    source: 'api',
    web_url: `${project.web_url}/-/pipelines/${id}`,
    before_sha: '0'.repeat(40),
    tag: false,
    yaml_errors: null,
    started_at: null,
    finished_at: null,
    committed_at: null,
    duration: null,
    queued_duration: null,
    coverage: null,
    archived: false,
  });
});

test('creates a new resource group with the default process mode of the project', async () => {
  const project = await projectWithCiFile(FILE);
  const { owner, at } = project;
  const processMode = async () => (await owner.get(`${at}/resource_groups/prod`)).body.process_mode;
  await owner.put(at, { resource_group_default_process_mode: 'newest_first' });
  await create(project, project.developer);
  assert.equal(await processMode(), 'newest_first');
  await owner.put(at, { resource_group_default_process_mode: 'unordered' });
  await create(project, project.developer);
  assert.equal(await processMode(), 'newest_first', 'the group exists already');
});

test('creates the jobs of the CI file', async () => {
  const project = await projectWithCiFile(FILE);
  await create(project, project.developer);
  const jobs = await jobsOf(project);
  assert.deepEqual(
    jobs.map(({ name, stage, stage_index, status, run_when, allow_failure, timeout, environment }) => [
      ...[name, stage, stage_index, status, run_when, Boolean(allow_failure), timeout, environment],
    ]),
    [
      ['compile', 'build', 1, 'pending', 'on_success', false, 3600, null],
      ['unit', 'test', 2, 'created', 'on_success', false, null, 'review/main'],
      ['later', 'test', 2, 'created', 'manual', true, null, null],
    ],
  );
  assert.deepEqual(JSON.parse(jobs[1]!.needs!), [{ job: 'compile', artifacts: true, optional: false }]);
  const options = await loadJobOptions<JobOptions>((await world()).server.services.database.reader, [jobs[0]!.id]);
  assert.deepEqual(options.get(jobs[0]!.id)!.script, ['make']);
  assert.ok(jobs[2]!.resource_group_id);
  const { server } = await world();
  const tags = server.services.database.reader.selectFrom('job_tags').select('name').where('job_id', '=', jobs[0]!.id);
  assert.deepEqual(
    (await tags.orderBy('position').execute()).map(({ name }) => name),
    ['linux', 'x64'],
  );
});

test('creates a pipeline for a tag, and for the full name of a branch', async () => {
  const project = await projectWithCiFile(FILE);
  await project.owner.post(`${project.repository}/tags`, { tag_name: 'v1', ref: 'main', message: 'One' });
  const tagPipeline = await create(project, project.developer, { ref: 'v1' });
  assert.deepEqual([tagPipeline.status, tagPipeline.body.ref, tagPipeline.body.tag], [201, 'v1', true]);
  const { body } = await project.owner.get(`${project.repository}/branches/main`);
  assert.equal(tagPipeline.body.sha, body.commit.id);
  const branchPipeline = await create(project, project.owner, { ref: 'refs/heads/main' });
  assert.deepEqual([branchPipeline.status, branchPipeline.body.ref, branchPipeline.body.tag], [201, 'main', false]);
});

test('returns 403 to Reporters, 404 to callers without access and 401 to anonymous callers', async () => {
  const project = await projectWithCiFile(FILE);
  const { user, anonymous } = await world();
  assert.equal((await create(project, project.reporter)).status, 403);
  assert.equal((await create(project, await user())).status, 404);
  assert.equal((await create(project, anonymous)).status, 401);
  const missing = await create(project, project.developer, {});
  assert.deepEqual([missing.status, missing.body], [400, { error: 'ref is missing' }]);
});

test('returns 400 while builds are disabled', async () => {
  const project = await projectWithCiFile(FILE);
  await project.owner.put(project.at, { builds_access_level: 'disabled' });
  assert.equal(await rejectedMessage(project, project.developer), 'Pipelines are disabled!');
});

test('requires push or merge rights on a protected branch', async () => {
  const project = await projectWithCiFile(FILE);
  const protect = (levels: Params) =>
    project.owner.post(`${project.at}/protected_branches`, { name: 'main', ...levels });
  await protect({ push_access_level: 40, merge_access_level: 40 });
  const { developer, owner } = project;
  assert.equal(
    await rejectedMessage(project, developer),
    "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.",
  );
  assert.equal((await create(project, owner)).status, 201);
  const pipeline = (await pipelinesOf(project)).at(-1)!;
  assert.equal(Boolean(pipeline.protected), true);
  await owner.delete(`${project.at}/protected_branches/main`);
  await protect({ push_access_level: 0, merge_access_level: 30 });
  assert.equal((await create(project, developer)).status, 201);
});

test('returns 400 for a ref that is neither a branch nor a tag', async () => {
  const project = await projectWithCiFile(FILE);
  for (const ref of ['nowhere', 'HEAD', 'main~1', 'refs/heads/', '..', '-a']) {
    assert.equal(await rejectedMessage(project, project.developer, { ref }), 'Reference not found');
  }
});

test('returns 400 without a CI file, and finds it at the configured path', async () => {
  const project = await projectWithCiFile(null);
  assert.equal(await rejectedMessage(project, project.developer), 'Missing CI config file');
  await project.commit({ 'ci/main.yml': FILE });
  await project.owner.put(project.at, { ci_config_path: 'ci/main.yml' });
  assert.equal((await create(project, project.developer)).status, 201);
});

for (const [situation, file, message] of [
  ['an invalid file', 'J: {stage: x, script: a}', /^J job: chosen stage x does not exist; available stages are/],
  ['invalid YAML', 'a: [', / at line 1 column 5$/],
  [
    'rules that exclude all jobs',
    'J: {script: a, rules: [{if: $NO}]}',
    /^The resulting pipeline would have been empty\. /,
  ],
  [
    'workflow rules that allow no pipeline',
    'workflow: {rules: [{when: never}]}\nJ: {script: a}',
    /^The pipeline did not run\. /,
  ],
] as const) {
  test(`returns 400 for ${situation}, with the reason`, async () => {
    const project = await projectWithCiFile(file);
    assert.match(await rejectedMessage(project, project.developer), message);
  });
}

test('stores the variables of a pipeline encrypted, and evaluates rules with them', async () => {
  const project = await projectWithCiFile('J: {script: a, rules: [{if: $MODE == "full"}]}');
  const variables = [
    { key: 'MODE', value: 'full' },
    { key: 'CONFIG', value: 'secret text', variable_type: 'file' },
  ];
  const { status, body } = await create(project, project.developer, { ref: 'main', variables });
  assert.equal(status, 201, JSON.stringify(body));
  const { body: storedVariables } = await project.developer.get(`${project.at}/pipelines/${body.id}/variables`);
  assert.deepEqual(
    storedVariables.map(({ key, value, variable_type }: { key: string; value: string; variable_type: string }) => [
      key,
      value,
      variable_type,
    ]),
    [
      ['MODE', 'full', 'env_var'],
      ['CONFIG', 'secret text', 'file'],
    ],
  );
  const { server } = await world();
  const rows = await server.services.database.reader.selectFrom('pipeline_variables').select('value').execute();
  assert.ok(rows.every(({ value }) => !value.includes('secret')));
});

test('rejects duplicate keys, and variables below the role of the project setting', async () => {
  const project = await projectWithCiFile(FILE);
  const variable = { key: 'A', value: '1' };
  const twice = { ref: 'main', variables: [variable, variable] };
  assert.equal(await rejectedMessage(project, project.developer, twice), 'Duplicate variable name: A');
  await project.owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'maintainer' });
  const once = { ref: 'main', variables: [variable] };
  const error = 'Insufficient permissions to set pipeline variables';
  assert.equal(await rejectedMessage(project, project.developer, once), error);
  assert.equal((await create(project, project.owner, once)).status, 201);
  await project.owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' });
  assert.equal(await rejectedMessage(project, project.owner, once), error);
});

test('gives concurrently created pipelines different iids', async () => {
  const project = await projectWithCiFile(FILE);
  await Promise.all(Array.from({ length: 5 }, () => create(project, project.developer)));
  assert.deepEqual(
    (await pipelinesOf(project)).map(({ iid }) => iid),
    [1, 2, 3, 4, 5, 6],
  );
});
