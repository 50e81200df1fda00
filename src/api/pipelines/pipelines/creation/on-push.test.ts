import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { jobRun } from '#test/support/job-run.ts';
import { type Project, world } from '#test/support/world.ts';

const CI_FILE = '.gitlab-ci.yml';
const FILE = 'J: {script: a}';

async function pipelinesOf({ id }: Project) {
  const { server, runJobs } = await world();
  await runJobs();
  const rows = await server.services.database.reader
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, tag: Boolean(row.tag), protected: Boolean(row.protected) }));
}

async function countJobs({ id }: Project): Promise<number> {
  const { server } = await world();
  return (await server.services.database.reader.selectFrom('jobs').select('id').where('project_id', '=', id).execute())
    .length;
}

test('creates a pipeline of the author for a commit through the API', async () => {
  const { project, developer } = await world({ project: { readme: true, with: ['developer'] } });
  await project.owner.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' });
  const commit = {
    branch: 'topic',
    commit_message: 'Run',
    actions: [{ action: 'create', file_path: CI_FILE, content: FILE }],
  };
  const { body } = await developer.post(`${project.repository}/commits`, commit);
  const [pipeline, ...others] = await pipelinesOf(project);
  assert.deepEqual(others, []);
  const { ref, tag, sha, before_sha, source, status, user_id } = pipeline!;
  assert.deepEqual([ref, tag, sha, before_sha], ['topic', false, body.id, body.parent_ids[0]]);
  assert.deepEqual([source, status, user_id, pipeline!.protected], ['push', 'pending', developer.id, false]);
  assert.equal(await countJobs(project), 1);
});

test('sets CI_SERVER_URL to the address of the server, with its actual port', async () => {
  const { project, server } = await world({ project: { readme: true } });
  const jobForUrl = (url: string) => `{script: a, rules: [{if: '$CI_SERVER_URL == "${url}"'}]}`;
  await project.commit({ [CI_FILE]: `J: ${jobForUrl(server.address)}\nK: ${jobForUrl('http://127.0.0.1:0')}` });
  assert.equal((await pipelinesOf(project)).length, 1);
  const { reader } = server.services.database;
  const jobs = await reader.selectFrom('jobs').select('name').where('project_id', '=', project.id).execute();
  assert.deepEqual(jobs, [{ name: 'J' }]);
});

test('creates pipelines for new branches and tags, and none for deleted ones', async () => {
  const { project, owner, runJobs } = await world({ project: { readme: true } });
  await project.commit({ [CI_FILE]: FILE });
  await runJobs();
  await owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' });
  await runJobs();
  await owner.post(`${project.repository}/tags`, { tag_name: 'v1', ref: 'main', message: 'annotated' });
  await owner.delete(`${project.repository}/branches/other`);
  const pipelines = await pipelinesOf(project);
  assert.deepEqual(
    pipelines.map(({ ref, tag, before_sha }) => [ref, tag, /^0+$/.test(before_sha)]),
    [
      ['main', false, false],
      ['other', false, true],
      ['v1', true, true],
    ],
  );
  assert.equal(new Set(pipelines.map(({ sha }) => sha)).size, 1);
  assert.deepEqual(
    pipelines.map((row) => row.protected),
    [true, false, false],
  );
});

test('creates no pipeline without a CI file or without jobs to run', async () => {
  const { project } = await world({ project: { readme: true } });
  await project.commit({ 'a.txt': 'a' });
  await project.commit({ [CI_FILE]: 'J: {script: a, rules: [{if: $NO}]}' });
  await project.commit({ [CI_FILE]: 'workflow: {rules: [{when: never}]}\nJ: {script: a}' });
  assert.deepEqual(await pipelinesOf(project), []);
});

test('creates a failed pipeline with errors for an invalid CI file', async () => {
  const { project } = await world({ project: { readme: true } });
  await project.commit({ [CI_FILE]: 'J: {stage: x, script: a}' });
  const [pipeline] = await pipelinesOf(project);
  const { status, yaml_errors } = pipeline!;
  assert.equal(status, 'failed');
  assert.match(yaml_errors!, /^J job: chosen stage x does not exist/);
  assert.equal(await countJobs(project), 0);
});

for (const message of ['Text [ci skip]', '[skip ci]', 'a\n\n[CI-SKIP]', '[Skip_CI] b']) {
  test(`creates a skipped pipeline for the message ${JSON.stringify(message)}`, async () => {
    const { newProject } = await world();
    const project = await newProject({ readme: true });
    await project.commit({ [CI_FILE]: FILE }, { message });
    const [pipeline] = await pipelinesOf(project);
    assert.equal(pipeline!.status, 'skipped');
    assert.equal(await countJobs(project), 0);
  });
}

test('compares rules:changes with the push; in a new branch everything has changed', async () => {
  const { project, owner, runJobs } = await world({ project: { readme: true } });
  const rule = (glob: string) => `{script: a, rules: [{changes: ["${glob}"]}]}`;
  await project.commit({ [CI_FILE]: `doc: ${rule('doc/**/*')}\nsrc: ${rule('src/**/*')}` });
  await runJobs();
  await project.commit({ 'doc/a/b.md': 'text' });
  await runJobs();
  await owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' });
  const pipelines = await pipelinesOf(project);
  const { server } = await world();
  const jobs = server.services.database.reader.selectFrom('jobs').select(['pipeline_id', 'name']).orderBy('id');
  const rows = await jobs.where('project_id', '=', project.id).execute();
  assert.deepEqual(
    rows.map(({ pipeline_id, name }) => [pipelines.findIndex(({ id }) => id === pipeline_id), name]),
    [
      [0, 'doc'],
      [1, 'doc'],
      [1, 'src'],
    ],
  );
});

test('resolves rules:exists and includes from the commit', async () => {
  const { project } = await world({ project: { readme: true } });
  await project.commit({
    [CI_FILE]: 'include: [{local: /ci/jobs.yml}]\nJ: {script: a, rules: [{exists: ["src/**/*.py"]}]}',
    'ci/jobs.yml': 'K: {script: k, rules: [{exists: ["**/*.rb"]}]}',
    'src/deep/a.py': '',
  });
  assert.equal((await pipelinesOf(project)).length, 1);
  assert.equal(await countJobs(project), 1);
});

test('creates no second pipeline if the background job runs again', async () => {
  const { project, server } = await world({ project: { readme: true } });
  await project.commit({ [CI_FILE]: FILE });
  const [pipeline] = await pipelinesOf(project);
  const payload = {
    projectId: project.id,
    userId: project.owner.id,
    changes: [{ ref: 'refs/heads/main', oldId: pipeline!.before_sha, newId: pipeline!.sha }],
  };
  const id = Number(pipeline!.origin!.split(' ')[1]);
  const { createPipelinesOnPush } = await import('./on-push.ts');
  const run = jobRun(2, id);
  await createPipelinesOnPush.inBackground!.handle(server.services, payload, run);
  assert.equal((await pipelinesOf(project)).length, 1);
});

test('creates no pipeline while builds are disabled', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await owner.put(project.at, { builds_access_level: 'disabled' });
  await project.commit({ [CI_FILE]: FILE });
  assert.deepEqual(await pipelinesOf(project), []);
});

test('applies push options, but ignores variables that the user may not set', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await project.commit(
    { [CI_FILE]: 'J: {script: a, rules: [{if: $MODE == "full"}]}\nK: {script: a}' },
    { message: '[skip ci]' },
  );
  await pushWith(project, owner, ['ci.variable=MODE=full', 'other.option']);
  assert.equal((await pipelinesOf(project)).length, 2);
  assert.equal(await countJobs(project), 2);
  await owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' });
  await pushWith(project, owner, ['ci.variable=MODE=full']);
  assert.equal((await pipelinesOf(project)).length, 3);
  assert.equal(await countJobs(project), 3);
  await pushWith(project, owner, ['ci.skip']);
  assert.equal((await pipelinesOf(project)).at(-1)!.status, 'skipped');
  await pushWith(project, owner, ['ci.no_pipeline']);
  assert.equal((await pipelinesOf(project)).length, 4);
});

test('creates pipelines for the first four refs of a push', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await project.commit({ [CI_FILE]: FILE }, { message: '[skip ci]' });
  await pipelinesOf(project);
  await pushWith(project, owner, [], ['a', 'b', 'c', 'd', 'e', 'f']);
  assert.equal((await pipelinesOf(project)).length, 5);
});

const temporaryDirectory = await mkdtemp(join(tmpdir(), 'hearth-pipelines-'));
after(() => rm(temporaryDirectory, { recursive: true, force: true }));

/** Commits on `main` and pushes the commit to these branches with the git client and these push options. */
async function pushWith(project: Project, caller: Project['owner'], options: readonly string[], branches = ['main']) {
  const { server } = await world();
  const remote = `${server.address.replace('http://', `http://x:${caller.token}@`)}/${project.path_with_namespace}.git`;
  const copy = await mkdtemp(join(temporaryDirectory, 'copy-'));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: temporaryDirectory };
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Push', '-c', 'user.email=push@hearth.test', ...args], {
      cwd: copy,
      env,
    });
  await git('clone', '-q', remote, '.');
  await git('commit', '-q', '--allow-empty', '-m', 'Run');
  await git(
    'push',
    '-q',
    ...options.flatMap((option) => ['-o', option]),
    'origin',
    ...branches.map((name) => `HEAD:refs/heads/${name}`),
  );
}
