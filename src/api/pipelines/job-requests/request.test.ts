import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findRunner } from '#authorization/runners.ts';
import { insertJobRow, insertPipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { statements } from '#test/support/statement-watch.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createPipelineFixture } from '../processing/fixtures.testing.ts';
import { cancelJob } from '../processing/index.ts';
import { MAX_HELD_REQUESTS, waitForQueueChange } from './long-poll.ts';

// Job requests of runners (contract/runners.md §3.3, §7).

const here = await world({ project: { readme: true } });
const { anonymous, root, clock, server } = here;
const { reader } = server.services.database;

type Runner = Awaited<ReturnType<typeof runnerRow>>;

const requestJob = (runner: Pick<Runner, 'token'>, params: Readonly<Record<string, unknown>> = {}, headers = {}) =>
  anonymous.send('POST', '/jobs/request', { params: { token: runner.token, ...params }, headers });
const queueVersionOf = (answer: Awaited<ReturnType<typeof requestJob>>) => answer.headers['x-gitlab-last-update'];
const rowOf = (id: number) => reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Creates a project with a runner that gets no jobs of other tests. */
async function projectWithRunner(row: Parameters<typeof runnerRow>[1] = {}) {
  const project = await here.newProject({ readme: true });
  return { project, runner: await runnerRow(here, { projects: [project.id], ...row }) };
}

test('returns 400 without a token and 403 with a wrong one, and ignores other credentials', async () => {
  const { runner } = await projectWithRunner();
  const missing = await anonymous.post('/jobs/request', {});
  assert.deepEqual([missing.status, missing.body], [400, { error: 'token is missing' }]);
  const wrong = await requestJob({ token: 'glrt-wrong' });
  assert.deepEqual([wrong.status, wrong.body], [403, { message: '403 Forbidden' }]);
  const otherCredentials = { 'PRIVATE-TOKEN': 'wrong', Authorization: 'Bearer x', 'RUNNER-TOKEN': 'y' };
  assert.equal((await requestJob(runner, {}, otherCredentials)).status, 204);
});

test('records the contact of a polling runner every ten seconds, and when its details change', async () => {
  const { runner } = await projectWithRunner();
  const contact = async () => (await root.get(`/runners/${runner.id}`)).body;
  const requestAs = async (version: string) => {
    assert.equal((await requestJob(runner, { system_id: 's_1', info: { version, platform: 'linux' } })).status, 204);
    return contact();
  };
  const first = await requestAs('18.1.0');
  assert.equal(first.contacted_at, clock.now().toISOString());
  clock.advance(9);
  assert.equal((await requestAs('18.1.0')).contacted_at, first.contacted_at);
  const changed = await requestAs('18.2.0');
  assert.deepEqual([changed.version, changed.contacted_at], ['18.2.0', clock.now().toISOString()]);
  clock.advance(10);
  assert.equal((await requestAs('18.2.0')).contacted_at, clock.now().toISOString());
});

test('assigns a job once and starts it', async () => {
  const { project, runner } = await projectWithRunner();
  const id = await insertJobRow(here, project);
  clock.advance(2);
  const answer = await requestJob(runner, { system_id: 's_1' });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.id, id);
  assert.match(answer.body.token, /^glcbt-/);
  assert.equal(queueVersionOf(answer), undefined);
  const row = await rowOf(id);
  assert.deepEqual([row.status, row.runner_id, row.started_at], ['running', runner.id, clock.now().toISOString()]);
  assert.notEqual(row.runner_manager_id, null);
  assert.equal((await requestJob(runner)).status, 204);
});

test('returns 204 for a request with the current queue version, without reading the queue', async () => {
  const { project, runner } = await projectWithRunner();
  const first = queueVersionOf(await requestJob(runner));
  assert.ok(first);
  assert.equal(queueVersionOf(await requestJob(runner, { last_update: first })), first);
  await insertJobRow(here, project);
  // The row was inserted directly, so the queue version did not change.
  assert.equal((await requestJob(runner, { last_update: first })).status, 204);
  assert.equal((await requestJob(runner, { last_update: 'another' })).status, 201);
  clock.advance(3600);
  assert.notEqual(queueVersionOf(await requestJob(runner)), first, 'the queue version is valid for an hour');
});

test('holds a request until a job is pending or the time of the setting is over', async () => {
  const { project, runner } = await projectWithRunner();
  const knownVersion = queueVersionOf(await requestJob(runner)) as string;
  await expectSuccess(root.put('/application/settings', { runner_long_polling_seconds: 30 }));
  try {
    const row = await findRunner(reader, runner.id);
    assert.ok(row);
    let at = clock.now().getTime();
    const servicesWithFastClock = { ...server.services, clock: { now: () => new Date((at += 10_000)) } };
    assert.equal(
      (
        await waitForQueueChange(servicesWithFastClock, row, knownVersion, {
          client: { isDisconnected: false } as never,
        })
      ).version,
      knownVersion,
    );
    const held = requestJob(runner, { last_update: knownVersion });
    await createPipelineFixture(here, project, { build: {} });
    const answer = await held;
    assert.deepEqual([answer.status, answer.body.job_info.name], [201, 'build']);
  } finally {
    await root.put('/application/settings', { runner_long_polling_seconds: 0 });
  }
});

test('returns 403 to a held request whose token was reset', async () => {
  const { project, runner } = await projectWithRunner();
  const knownVersion = queueVersionOf(await requestJob(runner)) as string;
  await expectSuccess(root.put('/application/settings', { runner_long_polling_seconds: 30 }));
  try {
    const held = requestJob(runner, { last_update: knownVersion });
    await expectSuccess(root.get('/version'));
    await expectSuccess(root.post(`/runners/${runner.id}/reset_authentication_token`));
    const pipeline = await createPipelineFixture(here, project, { build: {} });
    const rejected = await held;
    assert.deepEqual([rejected.status, rejected.body], [403, { message: '403 Forbidden' }]);
    assert.equal((await pipeline.listStatuses()).build, 'pending');
  } finally {
    await root.put('/application/settings', { runner_long_polling_seconds: 0 });
  }
});

test('answers a request at once when the maximum number of requests is held', { timeout: 60_000 }, async () => {
  const { runner } = await projectWithRunner();
  const knownVersion = queueVersionOf(await requestJob(runner)) as string;
  const row = await findRunner(reader, runner.id);
  assert.ok(row);
  await expectSuccess(root.put('/application/settings', { runner_long_polling_seconds: 3600 }));
  const client = { isDisconnected: false };
  const hold = () => waitForQueueChange(server.services, row, knownVersion, { client } as never);
  const requests = Array.from({ length: MAX_HELD_REQUESTS + 1 }, hold);
  assert.equal((await Promise.race(requests)).version, knownVersion);
  client.isDisconnected = true;
  // All held requests share one poll.
  assert.ok((await statements(here, () => Promise.all(requests))) <= 5);
  await root.put('/application/settings', { runner_long_polling_seconds: 0 });
});

test('changes the queue version when a job becomes pending', async () => {
  const { project, runner } = await projectWithRunner();
  const pipelineId = await insertPipelineRow(here, project);
  const first = await insertJobRow(here, project, { pipeline_id: pipelineId, stage_index: 0, allow_failure: true });
  const second = await insertJobRow(here, project, { pipeline_id: pipelineId, status: 'created' });
  assert.equal((await requestJob(runner)).body.id, first);
  const version = queueVersionOf(await requestJob(runner));
  assert.equal((await requestJob(runner, { last_update: version })).status, 204);
  await server.services.runUnitOfWork(ANONYMOUS, (uow) => cancelJob(uow, first));
  assert.equal((await requestJob(runner, { last_update: version })).body.id, second);
});

test('assigns no job to a paused runner', async () => {
  const { project, runner } = await projectWithRunner({ paused: true });
  const id = await insertJobRow(here, project);
  const answer = await requestJob(runner);
  assert.equal(answer.status, 204);
  assert.ok(queueVersionOf(answer));
  assert.equal((await rowOf(id)).status, 'pending');
});

test('returns 429 beyond the rate limit of the setting', async () => {
  const { runner } = await projectWithRunner();
  await expectSuccess(root.put('/application/settings', { runner_jobs_request_api_limit: 2 }));
  try {
    for (const status of [204, 204, 429]) assert.equal((await requestJob(runner)).status, status);
  } finally {
    await root.put('/application/settings', { runner_jobs_request_api_limit: 2000 });
  }
});

test('takes the timeout from the job, else the project, limited by the runner', async () => {
  const project = await here.newProject({ readme: true, build_timeout: 1800 });
  for (const [timeout, maximum_timeout, expected] of [
    [null, null, 1800],
    [900, null, 900],
    [7200, 600, 600],
    [null, 3600, 1800],
  ] as const) {
    const runner = await runnerRow(here, { projects: [project.id], maximum_timeout });
    const id = await insertJobRow(here, project, { timeout });
    const { body } = await requestJob(runner);
    assert.deepEqual([body.id, body.runner_info.timeout, body.steps[0].timeout], [id, expected, expected]);
    assert.equal((await rowOf(id)).timeout, expected);
  }
});

test('fails jobs that cannot run and assigns the next one', async () => {
  const { project, runner } = await projectWithRunner();
  const blocked = await here.user();
  await expectSuccess(root.post(`/users/${blocked.id}/block`));
  const [ofBlockedUser, withMissingDependency, withUnsupportedFeature, runnable] = [
    await insertJobRow(here, project, { user_id: blocked.id }),
    await jobWithErasedDependency(project),
    await insertJobRow(here, project, {
      options: '{"script":["x"],"artifacts":{"reports":{"junit":["a"]},"exclude":[]}}',
    }),
    await insertJobRow(here, project),
  ];
  assert.equal((await requestJob(runner)).body.id, runnable);
  const failed = [ofBlockedUser, withMissingDependency, withUnsupportedFeature];
  const reasons = await Promise.all(failed.map(async (id) => (await rowOf(id)).failure_reason));
  assert.deepEqual(reasons, ['user_blocked', 'missing_dependency_failure', 'runner_unsupported']);
});

/** Inserts a job that needs the artifacts of an erased job. */
async function jobWithErasedDependency(project: Parameters<typeof insertJobRow>[1]): Promise<number> {
  const pipelineId = await insertPipelineRow(here, project);
  const erased = { status: 'success', erased_at: clock.now().toISOString(), stage_index: 1 } as const;
  await insertJobRow(here, project, { pipeline_id: pipelineId, ...erased });
  return insertJobRow(here, project, { pipeline_id: pipelineId });
}

test('returns 409 instead of 204 after a hundred jobs that cannot run', async () => {
  const { project, runner } = await projectWithRunner();
  const { id: user_id } = await here.user();
  await expectSuccess(root.post(`/users/${user_id}/block`));
  const pipeline_id = await insertPipelineRow(here, project);
  for (let at = 0; at < 100; at++) await insertJobRow(here, project, { pipeline_id, user_id });
  const runnable = await insertJobRow(here, project);
  assert.equal((await requestJob(runner)).status, 409);
  assert.equal((await requestJob(runner)).body.id, runnable);
});

test('fails a job whose payload cannot be built, and assigns the next one to the next request', async () => {
  const { project, runner } = await projectWithRunner();
  const [broken, runnable] = [await insertJobRow(here, project), await insertJobRow(here, project)];
  const unreadable = { job_id: broken, key: 'A', value: 'not encrypted' };
  await server.services.database.transaction((tx) => tx.insertInto('job_variables').values(unreadable).execute());
  assert.equal((await requestJob(runner)).status, 409);
  const { status, failure_reason, pipeline_id } = await rowOf(broken);
  assert.deepEqual([status, failure_reason], ['failed', 'scheduler_failure']);
  const pipelineQuery = reader.selectFrom('pipelines').select('status').where('id', '=', pipeline_id);
  assert.equal((await pipelineQuery.executeTakeFirstOrThrow()).status, 'failed');
  assert.equal((await requestJob(runner)).body.id, runnable);
});

test('assigns a job whose required feature the runner has', async () => {
  const { project, runner } = await projectWithRunner();
  const options = '{"script":["x"],"retry":{"max":1,"when":[],"exit_codes":[7]}}';
  const id = await insertJobRow(here, project, { options });
  assert.equal((await requestJob(runner, { info: { features: { return_exit_code: true } } })).body.id, id);
});

test('assigns different jobs to concurrent requests', async () => {
  const { project, runner } = await projectWithRunner();
  const ids: number[] = [];
  for (let at = 0; at < 6; at++) ids.push(await insertJobRow(here, project));
  const answers = await Promise.all(Array.from({ length: 12 }, () => requestJob(runner)));
  for (const { status } of answers) assert.ok([201, 204, 409].includes(status), String(status));
  const assigned = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
  assert.equal(new Set(assigned).size, assigned.length);
  while (assigned.length < ids.length) {
    const { status, body } = await requestJob(runner);
    assert.notEqual(status, 204, 'a pending job was not assigned');
    if (status === 201) assigned.push(body.id);
  }
  assert.deepEqual(
    assigned.sort((a, b) => a - b),
    ids,
  );
});
