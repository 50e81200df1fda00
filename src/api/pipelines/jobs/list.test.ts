import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, insertPipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { type Caller, world } from '#test/support/world.ts';

const here = await world();
const { newProject, anonymous, root, server, clock } = here;
const { database } = server.services;

const namesOf = async (caller: Caller, url: string) =>
  (await caller.get(url)).body.map(({ name }: { name: string }) => name);

test('lists jobs of a project, newest first, filtered by status and ref', async () => {
  const project = await newProject({ readme: true, with: ['reporter'] });
  const old = await insertPipelineRow(here, project, { ref: 'old' });
  for (const [name, status, pipeline_id] of [
    ['a', 'success', old],
    ['b', 'failed', undefined],
    ['c', 'pending', undefined],
  ] as const) {
    await insertJobRow(here, project, { name, status, ...(pipeline_id ? { pipeline_id } : {}) });
  }
  const list = (query: string) => namesOf(project.reporter, `${project.at}/jobs${query}`);
  assert.deepEqual(await list(''), ['c', 'b', 'a']);
  assert.deepEqual(await list('?scope=failed'), ['b']);
  assert.deepEqual(await list('?scope[]=success&scope[]=pending'), ['c', 'a']);
  assert.deepEqual(await list('?ref=old'), ['a']);
  const bad = await project.reporter.get(`${project.at}/jobs?scope=odd`);
  assert.deepEqual([bad.status, bad.body], [400, { error: 'scope does not have a valid value' }]);
  const badArray = await project.reporter.get(`${project.at}/jobs?scope[]=odd&scope[]=success`);
  assert.deepEqual([badArray.status, badArray.body], [400, { error: 'scope does not have a valid value' }]);
});

test('paginates jobs by keyset, newest first only', async () => {
  const project = await newProject({ readme: true, with: ['reporter'] });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await insertJobRow(here, project, { name });
  const names: string[] = [];
  let url: string | undefined = `${project.at}/jobs?pagination=keyset&order_by=id&sort=desc&per_page=2`;
  while (url !== undefined) {
    const { body, headers }: Awaited<ReturnType<Caller['get']>> = await project.reporter.get(url);
    names.push(...body.map(({ name }: { name: string }) => name));
    assert.equal(headers['x-total'], undefined);
    url = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
  }
  assert.deepEqual(names, ['e', 'd', 'c', 'b', 'a']);
  const other = await project.reporter.get(`${project.at}/jobs?pagination=keyset&order_by=id&sort=asc`);
  assert.equal(other.status, 405);
  const error = 'Keyset pagination is not yet available for this type of request';
  assert.deepEqual(other.body, { error });
});

test('paginates jobs of a runner by keyset in both directions', async () => {
  const project = await newProject({ readme: true, with: ['maintainer'] });
  const { id } = await runnerRow(here, { projects: [project.id] });
  for (const name of ['a', 'b', 'c']) await insertJobRow(here, project, { name, runner_id: id });
  for (const [query, names] of [
    ['', ['c', 'b', 'a']],
    ['&order_by=id&sort=desc', ['c', 'b', 'a']],
    ['&order_by=id&sort=asc', ['a', 'b', 'c']],
    ['&status=running', []],
  ] as const) {
    const first = await project.maintainer.get(`/runners/${id}/jobs?pagination=keyset&per_page=2${query}`);
    const cursor = first.headers['x-next-cursor'];
    const rest = cursor
      ? await project.maintainer.get(`/runners/${id}/jobs?pagination=keyset&per_page=2${query}`, { cursor })
      : { body: [] };
    assert.deepEqual(
      [...first.body, ...rest.body].map(({ name }) => name),
      names,
      query,
    );
    assert.equal(first.headers['x-total'], undefined);
  }
  const { status, body } = await project.maintainer.get(`/runners/${id}/jobs?pagination=keyset&cursor=x`);
  assert.deepEqual([status, body], [400, { error: 'cursor is invalid' }]);
});

test('returns a job with its pipeline, user, commit and durations', async () => {
  const project = await newProject({ readme: true, with: ['reporter'] });
  const [commit] = (await project.owner.get(`${project.at}/repository/commits`)).body;
  const started_at = clock.now().toISOString();
  const pipeline_id = await insertPipelineRow(here, project, { sha: commit.id });
  const row = { pipeline_id, status: 'failed', failure_reason: 'script_failure', trace_size: 7 } as const;
  const queued_at = new Date(clock.now().getTime() - 400).toISOString();
  const finished_at = new Date(clock.now().getTime() + 3200).toISOString();
  const id = await insertJobRow(here, project, { ...row, queued_at, started_at, finished_at, tags: ['docker'] });
  const { body } = await project.reporter.get(`${project.at}/jobs/${id}`);
  assert.deepEqual([body.duration, body.queued_duration, body.failure_reason], [3.2, 0.4, 'script_failure']);
  assert.deepEqual(
    [body.commit.id, body.pipeline.id, body.user.username],
    [commit.id, pipeline_id, project.owner.username],
  );
  assert.deepEqual([body.ref, body.tag_list, body.runner], ['main', ['docker'], null]);
  const log = { file_type: 'trace', size: 7, filename: 'job.log', file_format: null };
  assert.deepEqual(body.artifacts, [log]);
  assert.match(body.web_url, new RegExp(`/-/jobs/${id}$`));
});

test('lists earlier attempts of a pipeline with include_retried', async () => {
  const project = await newProject({ readme: true, with: ['reporter'] });
  const pipeline_id = await insertPipelineRow(here, project);
  await insertJobRow(here, project, { pipeline_id, name: 'a', retried: true, status: 'failed' });
  await insertJobRow(here, project, { pipeline_id, name: 'a' });
  const at = `${project.at}/pipelines/${pipeline_id}/jobs`;
  assert.equal((await project.reporter.get(at)).body.length, 1);
  assert.equal((await project.reporter.get(`${at}?include_retried=true`)).body.length, 2);
  assert.equal((await project.reporter.get(`${at}?include_retried=true&scope=failed`)).body.length, 1);
  assert.equal((await project.reporter.get(`${project.at}/jobs`)).body.length, 1);
});

test('requires authentication for jobs of a public project, but not for jobs of its pipelines', async () => {
  const project = await newProject({ visibility: 'public', readme: true });
  const pipeline_id = await insertPipelineRow(here, project);
  const id = await insertJobRow(here, project, { pipeline_id });
  for (const path of ['jobs', `jobs/${id}`]) assert.equal((await anonymous.get(`${project.at}/${path}`)).status, 401);
  assert.equal((await anonymous.get(`${project.at}/pipelines/${pipeline_id}/jobs`)).status, 200);
});

test('Guests of a private project read jobs unless public_jobs or builds are off', async () => {
  const project = await newProject({ readme: true, with: ['guest', 'planner', 'reporter'] });
  const id = await insertJobRow(here, project);
  const read = async () => {
    const { guest, planner, reporter } = project;
    return Promise.all(
      [guest, planner, reporter].map(async (caller) => (await caller.get(`${project.at}/jobs/${id}`)).status),
    );
  };
  assert.deepEqual(await read(), [200, 200, 200]);
  await project.owner.put(project.at, { public_jobs: false });
  assert.deepEqual(await read(), [403, 403, 200]);
  await project.owner.put(project.at, { builds_access_level: 'disabled' });
  assert.deepEqual(await read(), [403, 403, 403]);
});

test('lists jobs of a runner by status and manager, for callers who may update the runner', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const { id } = await runnerRow(here, { projects: [project.id] });
  const { id: managerId } = await database.transaction((tx) =>
    tx
      .insertInto('runner_managers')
      .values({ runner_id: id, system_id: 's_1', created_at: tx.now })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  await insertJobRow(here, project, { name: 'a', runner_id: id, runner_manager_id: managerId, status: 'success' });
  await insertJobRow(here, project, { name: 'b', runner_id: id, status: 'running' });
  const at = `/runners/${id}`;
  assert.deepEqual(await namesOf(project.maintainer, `${at}/jobs`), ['a', 'b']);
  assert.deepEqual(await namesOf(project.maintainer, `${at}/jobs?order_by=id`), ['b', 'a']);
  assert.deepEqual(await namesOf(project.maintainer, `${at}/jobs?sort=desc`), ['a', 'b']);
  assert.deepEqual(await namesOf(project.maintainer, `${at}/jobs?status=running`), ['b']);
  assert.deepEqual(await namesOf(project.maintainer, `${at}/jobs?system_id=s_1`), ['a']);
  assert.deepEqual(await namesOf(project.maintainer, `${at}/managers/s_1/jobs`), ['a']);
  assert.deepEqual(await namesOf(project.maintainer, `${at}/managers/s_9/jobs`), []);
  const forbidden = await project.developer.get(`${at}/jobs`);
  assert.deepEqual(forbidden.body, { message: '403 Forbidden - No access granted' });
});

test('lists jobs of a runner in projects where the caller is at least Reporter', async () => {
  const project = await newProject({ readme: true, with: ['maintainer'] });
  const other = await newProject({ readme: true });
  await other.addMember('guest', project.maintainer);
  const { id } = await runnerRow(here, { projects: [project.id, other.id] });
  await insertJobRow(here, project, { name: 'a', runner_id: id });
  await insertJobRow(here, other, { name: 'b', runner_id: id });
  assert.deepEqual(await namesOf(project.maintainer, `/runners/${id}/jobs`), ['a']);
  assert.deepEqual(await namesOf(root, `/runners/${id}/jobs`), ['a', 'b']);
});
