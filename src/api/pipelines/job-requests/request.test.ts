import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findRunner } from '#authorization/runners.ts';
import { jobRow, pipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { statements } from '#test/support/statement-watch.ts';
import { done, world } from '#test/support/world.ts';
import { createPipelineFixture } from '../processing/fixtures.testing.ts';
import { cancelJob } from '../processing/index.ts';
import { MAX_HELD_REQUESTS, waitForQueueChange } from './long-poll.ts';

// How runners ask for jobs (contract/runners.md §3.3, §7).

const here = await world({ project: { readme: true } });
const { anonymous, root, clock, server } = here;
const { reader } = server.services.database;

type Runner = Awaited<ReturnType<typeof runnerRow>>;

const ask = (runner: Pick<Runner, 'token'>, params: Readonly<Record<string, unknown>> = {}, headers = {}) =>
  anonymous.send('POST', '/jobs/request', { params: { token: runner.token, ...params }, headers });
const updateOf = (answer: Awaited<ReturnType<typeof ask>>) => answer.headers['x-gitlab-last-update'];
const rowOf = (id: number) => reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A project with a runner of its own, so that no other test's jobs are seen. */
async function place(more: Parameters<typeof runnerRow>[1] = {}) {
  const project = await here.newProject({ readme: true });
  return { project, runner: await runnerRow(here, { projects: [project.id], ...more }) };
}

test('without a token it is 400, with a wrong one 403, whatever other credential comes along', async () => {
  const { runner } = await place();
  const none = await anonymous.post('/jobs/request', {});
  assert.deepEqual([none.status, none.body], [400, { error: 'token is missing' }]);
  const wrong = await ask({ token: 'glrt-wrong' });
  assert.deepEqual([wrong.status, wrong.body], [403, { message: '403 Forbidden' }]);
  const stray = { 'PRIVATE-TOKEN': 'wrong', Authorization: 'Bearer x', 'RUNNER-TOKEN': 'y' };
  assert.equal((await ask(runner, {}, stray)).status, 204);
});

test('a runner that asks again and again is written every ten seconds, and when it says something new', async () => {
  const { runner } = await place();
  const contact = async () => (await root.get(`/runners/${runner.id}`)).body;
  const asked = async (version: string) => {
    assert.equal((await ask(runner, { system_id: 's_1', info: { version, platform: 'linux' } })).status, 204);
    return contact();
  };
  const first = await asked('18.1.0');
  assert.equal(first.contacted_at, clock.now().toISOString());
  clock.advance(9);
  assert.equal((await asked('18.1.0')).contacted_at, first.contacted_at);
  const said = await asked('18.2.0');
  assert.deepEqual([said.version, said.contacted_at], ['18.2.0', clock.now().toISOString()]);
  clock.advance(10);
  assert.equal((await asked('18.2.0')).contacted_at, clock.now().toISOString());
});

test('a job is given once, and runs then', async () => {
  const { project, runner } = await place();
  const id = await jobRow(here, project);
  clock.advance(2);
  const given = await ask(runner, { system_id: 's_1' });
  assert.equal(given.status, 201);
  assert.equal(given.body.id, id);
  assert.match(given.body.token, /^glcbt-/);
  assert.equal(updateOf(given), undefined);
  const row = await rowOf(id);
  assert.deepEqual([row.status, row.runner_id, row.started_at], ['running', runner.id, clock.now().toISOString()]);
  assert.notEqual(row.runner_manager_id, null);
  assert.equal((await ask(runner)).status, 204);
});

test('who asks with the present value is told so without a look at the queue', async () => {
  const { project, runner } = await place();
  const first = updateOf(await ask(runner));
  assert.ok(first);
  assert.equal(updateOf(await ask(runner, { last_update: first })), first);
  await jobRow(here, project);
  // Made behind the queue's back: nobody has told the value of it.
  assert.equal((await ask(runner, { last_update: first })).status, 204);
  assert.equal((await ask(runner, { last_update: 'another' })).status, 201);
  clock.advance(3600);
  assert.notEqual(updateOf(await ask(runner)), first, 'it is valid for an hour');
});

test('where the setting says so a question is held until there is something, or the time is over', async () => {
  const { project, runner } = await place();
  const known = updateOf(await ask(runner)) as string;
  await done(root.put('/application/settings', { runner_long_polling_seconds: 30 }));
  try {
    const row = await findRunner(reader, runner.id);
    assert.ok(row);
    let at = clock.now().getTime();
    const hurried = { ...server.services, clock: { now: () => new Date((at += 10_000)) } };
    assert.equal(
      (await waitForQueueChange(hurried, row, known, { client: { isDisconnected: false } as never })).value,
      known,
    );
    const held = ask(runner, { last_update: known });
    await createPipelineFixture(here, project, { build: {} });
    const taken = await held;
    assert.deepEqual([taken.status, taken.body.job_info.name], [201, 'build']);
  } finally {
    await root.put('/application/settings', { runner_long_polling_seconds: 0 });
  }
});

test('a question that is held gets no job any more once its token has been reset', async () => {
  const { project, runner } = await place();
  const known = updateOf(await ask(runner)) as string;
  await done(root.put('/application/settings', { runner_long_polling_seconds: 30 }));
  try {
    const held = ask(runner, { last_update: known });
    await done(root.get('/version'));
    await done(root.post(`/runners/${runner.id}/reset_authentication_token`));
    const pipeline = await createPipelineFixture(here, project, { build: {} });
    const refused = await held;
    assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
    assert.equal((await pipeline.statuses()).build, 'pending');
  } finally {
    await root.put('/application/settings', { runner_long_polling_seconds: 0 });
  }
});

test('only so many questions are held, and one more is answered at once', { timeout: 60_000 }, async () => {
  const { runner } = await place();
  const known = updateOf(await ask(runner)) as string;
  const row = await findRunner(reader, runner.id);
  assert.ok(row);
  await done(root.put('/application/settings', { runner_long_polling_seconds: 3600 }));
  const client = { isDisconnected: false };
  const hold = () => waitForQueueChange(server.services, row, known, { client } as never);
  const asked = Array.from({ length: MAX_HELD_REQUESTS + 1 }, hold);
  assert.equal((await Promise.race(asked)).value, known);
  client.isDisconnected = true;
  // They look together, not each for itself.
  assert.ok((await statements(here, () => Promise.all(asked))) <= 5);
  await root.put('/application/settings', { runner_long_polling_seconds: 0 });
});

test('a job that becomes pending changes the value', async () => {
  const { project, runner } = await place();
  const pipelineId = await pipelineRow(here, project);
  const first = await jobRow(here, project, { pipeline_id: pipelineId, stage_index: 0, allow_failure: true });
  const second = await jobRow(here, project, { pipeline_id: pipelineId, status: 'created' });
  assert.equal((await ask(runner)).body.id, first);
  const waiting = updateOf(await ask(runner));
  assert.equal((await ask(runner, { last_update: waiting })).status, 204);
  await server.services.runUnitOfWork(ANONYMOUS, (uow) => cancelJob(uow, first));
  assert.equal((await ask(runner, { last_update: waiting })).body.id, second);
});

test('a paused runner gets nothing', async () => {
  const { project, runner } = await place({ paused: true });
  const id = await jobRow(here, project);
  const answer = await ask(runner);
  assert.equal(answer.status, 204);
  assert.ok(updateOf(answer));
  assert.equal((await rowOf(id)).status, 'pending');
});

test('more questions in a minute than the setting allows are told to come back', async () => {
  const { runner } = await place();
  await done(root.put('/application/settings', { runner_jobs_request_api_limit: 2 }));
  try {
    for (const status of [204, 204, 429]) assert.equal((await ask(runner)).status, status);
  } finally {
    await root.put('/application/settings', { runner_jobs_request_api_limit: 2000 });
  }
});

test('the timeout is what the job says, else the project, and never more than the runner allows', async () => {
  const project = await here.newProject({ readme: true, build_timeout: 1800 });
  for (const [timeout, maximum_timeout, expected] of [
    [null, null, 1800],
    [900, null, 900],
    [7200, 600, 600],
    [null, 3600, 1800],
  ] as const) {
    const runner = await runnerRow(here, { projects: [project.id], maximum_timeout });
    const id = await jobRow(here, project, { timeout });
    const { body } = await ask(runner);
    assert.deepEqual([body.id, body.runner_info.timeout, body.steps[0].timeout], [id, expected, expected]);
    assert.equal((await rowOf(id)).timeout, expected);
  }
});

test('what no runner could run is failed on the way, and the search goes on', async () => {
  const { project, runner } = await place();
  const blocked = await here.user();
  await done(root.post(`/users/${blocked.id}/block`));
  const [user, missing, feature, fine] = [
    await jobRow(here, project, { user_id: blocked.id }),
    await dependent(project),
    await jobRow(here, project, { options: '{"script":["x"],"artifacts":{"reports":{"junit":["a"]},"exclude":[]}}' }),
    await jobRow(here, project),
  ];
  assert.equal((await ask(runner)).body.id, fine);
  const reasons = await Promise.all([user, missing, feature].map(async (id) => (await rowOf(id)).failure_reason));
  assert.deepEqual(reasons, ['user_blocked', 'missing_dependency_failure', 'runner_unsupported']);
});

/** A job that wants the files of one that was erased. */
async function dependent(project: Parameters<typeof jobRow>[1]): Promise<number> {
  const pipelineId = await pipelineRow(here, project);
  const erased = { status: 'success', erased_at: clock.now().toISOString(), stage_index: 1 } as const;
  await jobRow(here, project, { pipeline_id: pipelineId, ...erased });
  return jobRow(here, project, { pipeline_id: pipelineId });
}

test('who looks at many jobs that none could run is told to ask again, not that there is nothing', async () => {
  const { project, runner } = await place();
  const { id: user_id } = await here.user();
  await done(root.post(`/users/${user_id}/block`));
  const pipeline_id = await pipelineRow(here, project);
  for (let at = 0; at < 100; at++) await jobRow(here, project, { pipeline_id, user_id });
  const fine = await jobRow(here, project);
  assert.equal((await ask(runner)).status, 409);
  assert.equal((await ask(runner)).body.id, fine);
});

test('a job that can not be told to its runner has failed, and the next one is there for the asking', async () => {
  const { project, runner } = await place();
  const [broken, fine] = [await jobRow(here, project), await jobRow(here, project)];
  const unreadable = { job_id: broken, key: 'A', value: 'not encrypted' };
  await server.services.database.transaction((tx) => tx.insertInto('job_variables').values(unreadable).execute());
  assert.equal((await ask(runner)).status, 409);
  const { status, failure_reason, pipeline_id } = await rowOf(broken);
  assert.deepEqual([status, failure_reason], ['failed', 'scheduler_failure']);
  const pipeline = reader.selectFrom('pipelines').select('status').where('id', '=', pipeline_id);
  assert.equal((await pipeline.executeTakeFirstOrThrow()).status, 'failed');
  assert.equal((await ask(runner)).body.id, fine);
});

test('a feature that the runner has is no reason', async () => {
  const { project, runner } = await place();
  const options = '{"script":["x"],"retry":{"max":1,"when":[],"exit_codes":[7]}}';
  const id = await jobRow(here, project, { options });
  assert.equal((await ask(runner, { info: { features: { return_exit_code: true } } })).body.id, id);
});

test('of many who ask at once each gets a job of its own', async () => {
  const { project, runner } = await place();
  const ids: number[] = [];
  for (let at = 0; at < 6; at++) ids.push(await jobRow(here, project));
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(runner)));
  for (const { status } of answers) assert.ok([201, 204, 409].includes(status), String(status));
  const given = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
  assert.equal(new Set(given).size, given.length);
  while (given.length < ids.length) {
    const { status, body } = await ask(runner);
    assert.notEqual(status, 204, 'a job is left that nobody is given');
    if (status === 201) given.push(body.id);
  }
  assert.deepEqual(
    given.sort((a, b) => a - b),
    ids,
  );
});
