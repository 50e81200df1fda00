import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { insertJobRow, runnerRow, runningJob } from '#test/support/pipeline-rows.ts';
import { type Caller, world } from '#test/support/world.ts';
import { streamTrace } from './get.ts';

// Logs as runners send them (contract/runners.md §3.4).

const here = await world({ project: {} });
const { anonymous, project, clock, server } = here;
const { reader } = server.services.database;

type Job = Awaited<ReturnType<typeof runningJob>>;

const patch = (job: Pick<Job, 'id' | 'headers'>, start: number, bytes: Buffer | string, headers = {}) =>
  anonymous.send('PATCH', `/jobs/${job.id}/trace`, {
    raw: bytes,
    headers: { ...job.headers, 'Content-Range': `${start}-${start + bytes.length - 1}`, ...headers },
  });
const logOf = async ({ id }: Pick<Job, 'id'>) => (await buffer(streamTrace(server.services, id))).toString('latin1');
const rowOf = (id: number) => reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('stores appended data as the log, byte for byte', async () => {
  const job = await runningJob(here, project);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, code) => code));
  const first = await patch(job, 0, bytes, { 'Content-Type': 'text/plain' });
  assert.deepEqual([first.status, first.text], [202, '']);
  assert.equal(first.headers['job-status'], 'running');
  assert.equal(first.headers.range, '0-256');
  assert.equal(first.headers['x-gitlab-trace-update-interval'], '60');
  assert.equal((await patch(job, 256, 'more', { 'Content-Range': '256-9/99999' })).headers.range, '0-260');
  assert.equal(await logOf(job), `${bytes.toString('latin1')}more`);
});

test('rejects a gap or an overlap with the current length, and appends nothing', async () => {
  const job = await runningJob(here, project);
  await patch(job, 0, '12345');
  for (const range of ['6-8', '4-6', '0-2', 'x-5', '-1-3', '99999999999999999999-1', '']) {
    const answer = await patch(job, 0, 'abc', { 'Content-Range': range });
    assert.equal(answer.status, 416, range);
    assert.deepEqual(answer.body, { error: '416 Range Not Satisfiable' });
    assert.equal(answer.headers.range, '0-5');
  }
  assert.equal(await logOf(job), '12345');
});

test('rejects appends without the range header, and accepts an empty body as heartbeat', async () => {
  const runner = await runnerRow(here);
  const job = await runningJob(here, project, { runner_id: runner.id });
  const bare = await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw: 'a', headers: job.headers });
  assert.deepEqual([bare.status, bare.body], [400, { error: '400 Missing header Content-Range' }]);
  clock.advance(60);
  const alive = await patch(job, 0, '', { 'Content-Range': '0-0' });
  assert.deepEqual([alive.status, alive.headers.range], [202, '0-0']);
  const now = clock.now().toISOString();
  assert.equal((await rowOf(job.id)).last_seen_at, now);
  const { contacted_at } = await reader
    .selectFrom('runners')
    .select('contacted_at')
    .where('id', '=', runner.id)
    .executeTakeFirstOrThrow();
  assert.equal(contacted_at, now);
});

test('rejects wrong and missing tokens, other jobs and unknown jobs alike', async () => {
  const [job, other] = [await runningJob(here, project), await runningJob(here, project)];
  const pending = await insertJobRow(here, project);
  for (const [id, headers] of [
    [job.id, { 'JOB-TOKEN': 'glcbt-wrong' }],
    [job.id, {}],
    [job.id, { 'JOB-TOKEN': '' }],
    [job.id, other.headers],
    [pending, job.headers],
    [999_999, job.headers],
  ] as const) {
    const answer = await anonymous.send('PATCH', `/jobs/${id}/trace`, {
      raw: 'a',
      headers: { ...headers, 'Content-Range': '0-0' },
    });
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
    assert.equal(answer.headers['job-status'], undefined);
  }
});

test('rejects appends to a finished job and returns its final status', async () => {
  for (const status of ['success', 'failed', 'canceled'] as const) {
    const job = await runningJob(here, project, { status });
    const answer = await patch(job, 0, 'late');
    assert.deepEqual(
      [answer.status, answer.body],
      [403, { message: '403 Forbidden - Job is not processing on runner' }],
    );
    assert.equal(answer.headers['job-status'], status);
  }
  const erased = await patch(await runningJob(here, project, { erased_at: clock.now().toISOString() }), 0, 'late');
  assert.deepEqual([erased.status, erased.body], [403, { message: '403 Forbidden - Job has been erased!' }]);
  const canceling = await runningJob(here, project, { status: 'canceling' });
  assert.equal((await patch(canceling, 0, 'bye')).headers['job-status'], 'canceling');
});

test('masks the token of the job in the log and keeps the length', async () => {
  const job = await runningJob(here, project);
  const text = `token ${job.token}, again ${job.token}`;
  assert.equal((await patch(job, 0, text)).headers.range, `0-${text.length}`);
  const mask = '[MASKED]'.padEnd(job.token.length, 'x');
  assert.equal(await logOf(job), `token ${mask}, again ${mask}`);
});

test('masks the registration token of the project, if it has one', async () => {
  const { runners_token } = (await project.owner.get(project.at)).body;
  const job = await runningJob(here, project);
  await patch(job, 0, `register ${runners_token}!`);
  assert.equal(await logOf(job), `register ${'[MASKED]'.padEnd(runners_token.length, 'x')}!`);
});

test('records a contact of the runner manager for each append', async () => {
  const { token } = await runnerRow(here, { projects: [project.id] });
  await anonymous.post('/runners/verify', { token, system_id: 's_machine' });
  const find = () =>
    reader.selectFrom('runner_managers').selectAll().where('system_id', '=', 's_machine').executeTakeFirstOrThrow();
  const { id: runner_manager_id, runner_id } = await find();
  const job = await runningJob(here, project, { runner_id, runner_manager_id });
  for (const say of [
    () => patch(job, 0, 'a'),
    () => anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'running' }),
  ]) {
    clock.advance(60);
    assert.ok((await say()).status < 300);
    assert.equal((await find()).contacted_at, clock.now().toISOString());
  }
});

test('does not update a runner manager with a recent contact', async () => {
  const { token } = await runnerRow(here, { projects: [project.id] });
  await anonymous.post('/runners/verify', { token, system_id: 's_busy' });
  const find = () =>
    reader.selectFrom('runner_managers').selectAll().where('system_id', '=', 's_busy').executeTakeFirstOrThrow();
  const { id: runner_manager_id, runner_id, contacted_at } = await find();
  const job = await runningJob(here, project, { runner_id, runner_manager_id });
  clock.advance(9);
  assert.equal((await patch(job, 0, 'a')).status, 202);
  assert.equal((await find()).contacted_at, contacted_at);
  clock.advance(1);
  assert.equal((await patch(job, 1, 'a')).status, 202);
  assert.equal((await find()).contacted_at, clock.now().toISOString());
});

test('accepts one of several concurrent appends at the same offset', async () => {
  const job = await runningJob(here, project);
  const answers = await Promise.all(['aaaa', 'bb', 'cccccc', 'd'].map((text) => patch(job, 0, text)));
  const won = answers.filter(({ status }) => status === 202);
  assert.equal(won.length, 1);
  for (const { status } of answers) assert.ok([202, 409, 416].includes(status), String(status));
  assert.equal(`0-${(await logOf(job)).length}`, won[0]?.headers.range);
});

test('rejects requests beyond the limit per minute and asks to retry later', async () => {
  const job = await runningJob(here, project);
  await here.root.put('/application/settings', { runner_jobs_patch_trace_api_limit: 2 });
  try {
    for (const expected of [202, 202, 429]) assert.equal((await patch(job, 0, '')).status, expected);
    clock.advance(60);
    assert.equal((await patch(job, 0, '')).status, 202);
  } finally {
    await here.root.put('/application/settings', { runner_jobs_patch_trace_api_limit: 200 });
  }
});

test('ignores other API credentials, valid or invalid', async () => {
  const job = await runningJob(here, project);
  for (const stray of [{ 'PRIVATE-TOKEN': 'wrong' }, { Authorization: 'Bearer wrong' }, { 'RUNNER-TOKEN': 'x' }]) {
    assert.equal((await patch(job, 0, '', stray)).status, 202);
  }
});

test('fails a job whose log exceeds the limit', async () => {
  await here.root.put('/application/settings', { ci_jobs_trace_size_limit: 1 });
  try {
    const job = await runningJob(here, project);
    const whole = Buffer.alloc(1024 * 1024, 'a');
    assert.equal((await patch(job, 0, whole)).status, 202);
    const answer = await patch(job, whole.length, 'b');
    assert.deepEqual([answer.status, answer.headers['job-status']], [403, 'failed']);
    const { status, failure_reason, trace_size } = await rowOf(job.id);
    assert.deepEqual([status, failure_reason, trace_size], ['failed', 'trace_size_exceeded', whole.length]);
  } finally {
    await here.root.put('/application/settings', { ci_jobs_trace_size_limit: 100 });
  }
});

test('stops reading an endless body at the limit, and fails its job', async () => {
  await here.root.put('/application/settings', { ci_jobs_trace_size_limit: 1 });
  try {
    const job = await runningJob(here, project);
    const headers = { ...job.headers, 'Content-Range': '0-9', 'Transfer-Encoding': 'chunked' };
    const endless = httpRequest(`${server.address}/api/v4/jobs/${job.id}/trace`, { method: 'PATCH', headers });
    endless.on('error', () => {});
    const piece = Buffer.alloc(65_536, 'x');
    let sent = 0;
    const more = () => {
      while (!endless.destroyed && endless.write(piece)) sent += piece.length;
    };
    endless.on('drain', more);
    more();
    const [answer] = await once(endless, 'response');
    endless.destroy();
    assert.equal(answer.statusCode, 403);
    assert.ok(sent < 32 * 1024 * 1024, String(sent));
    const { status, failure_reason, trace_size } = await rowOf(job.id);
    assert.deepEqual([status, failure_reason, trace_size], ['failed', 'trace_size_exceeded', 0]);
  } finally {
    await here.root.put('/application/settings', { ci_jobs_trace_size_limit: 100 });
  }
});

test('keeps the log intact for repeated and out-of-order appends', async () => {
  const job = await runningJob(here, project);
  const whole = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256));
  const [size, pieces] = [500, 10];
  const order = Array.from({ length: 200 }, (_, at) => (at * 7) % pieces);
  let length = 0;
  for (const at of order) {
    const { status, headers } = await patch(job, at * size, whole.subarray(at * size, (at + 1) * size));
    assert.equal(status, at * size === length ? 202 : 416);
    if (status === 202) length += size;
    assert.equal(headers.range, `0-${length}`);
  }
  assert.equal(await logOf(job), whole.toString('latin1'));
});

test('stores nothing of an interrupted body', async () => {
  const job = await runningJob(here, project);
  const text = Buffer.alloc(100_000, 'x');
  const broken = httpRequest(`${server.address}/api/v4/jobs/${job.id}/trace`, {
    method: 'PATCH',
    headers: { ...job.headers, 'Content-Range': '0-99999', 'Content-Length': text.length },
  });
  broken.on('error', () => {});
  broken.write(text.subarray(0, 50_000));
  await new Promise((resolve) => setImmediate(resolve));
  broken.destroy();
  const whole = await patch(job, 0, text);
  assert.deepEqual([whole.status, whole.headers.range], [202, '0-100000']);
  assert.equal((await logOf(job)).length, 100_000);
});

test('joins the log of a finished job into one identical file', async () => {
  const job = await runningJob(here, project);
  for (let at = 0; at < 20; at++) await patch(job, at * 3, 'abc');
  await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' });
  await here.runJobs();
  const chunks = await reader.selectFrom('job_trace_chunks').selectAll().where('job_id', '=', job.id).execute();
  assert.deepEqual(chunks, []);
  const artifact = await reader
    .selectFrom('job_artifacts')
    .select(['file_type', 'file_format', 'filename', 'size'])
    .where('job_id', '=', job.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual({ ...artifact }, { file_type: 'trace', file_format: null, filename: 'job.log', size: 60 });
  assert.equal(await logOf(job), 'abc'.repeat(20));
});

test('returns the complete log to readers while it is joined into a file', async () => {
  const job = await runningJob(here, project);
  for (let at = 0; at < 3; at++) await patch(job, at * 100_000, Buffer.alloc(100_000, String(at)));
  const reading = streamTrace(server.services, job.id)[Symbol.asyncIterator]();
  const first: Buffer = (await reading.next()).value;
  await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' });
  await here.runJobs();
  let size = first.length;
  for (let next = await reading.next(); !next.done; next = await reading.next()) size += next.value.length;
  assert.equal(size, 300_000);
});

test('requests updates every three seconds for a minute after a log was read', async () => {
  const job = await runningJob(here, project);
  const interval = async () => (await patch(job, 0, '')).headers['x-gitlab-trace-update-interval'];
  const read = async () => assert.equal((await project.owner.get(`${project.at}/jobs/${job.id}/trace`)).status, 200);
  assert.equal(await interval(), '60');
  await read();
  assert.equal(await interval(), '3');
  clock.advance(19);
  await read();
  clock.advance(40);
  assert.equal(await interval(), '3');
  await read();
  clock.advance(59);
  assert.equal(await interval(), '3');
  clock.advance(1);
  assert.equal(await interval(), '60');
});

test('shows a log that the runner starts in debug mode to Developers only', async () => {
  const open = await here.newProject({ with: ['reporter', 'developer'], visibility: 'public' });
  const [debugged, plain] = [await runningJob(here, open), await runningJob(here, open)];
  const send = (job: Job, start: number, debugMode: boolean) =>
    anonymous.send('PATCH', `/jobs/${job.id}/trace?debug_trace=${debugMode}`, {
      raw: 'secret',
      headers: { ...job.headers, 'Content-Range': `${start}-${start + 5}` },
    });
  await send(debugged, 0, true);
  await send(debugged, 6, false);
  await send(plain, 0, false);
  // The mode is decided with the first bytes.
  await send(plain, 6, true);
  const read = async (caller: Caller, { id }: Job) => (await caller.get(`${open.at}/jobs/${id}/trace`)).status;
  assert.deepEqual([await read(open.reporter, debugged), await read(open.developer, debugged)], [403, 200]);
  assert.deepEqual([await read(open.reporter, plain), await read(open.developer, plain)], [200, 200]);
  assert.equal((await open.reporter.get(`${open.at}/jobs/${debugged.id}`)).status, 200);
});
