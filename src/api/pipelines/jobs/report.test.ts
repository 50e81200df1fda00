import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { insertJobRow, insertPipelineRow, runnerRow, runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { FAILURE_REASONS } from './changes.ts';

// Job reports of runners (contract/runners.md §3.5).

const here = await world({ project: {} });
const { anonymous, project, clock, server } = here;
const { reader } = server.services.database;

const put = (id: number, params: Readonly<Record<string, unknown>>, headers = {}) =>
  anonymous.send('PUT', `/jobs/${id}`, { params, headers });
const rowOf = (id: number) => reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('finishes a successful job and its pipeline', async () => {
  const pipelineId = await insertPipelineRow(here, project);
  const { id, token } = await runningJob(here, project, { pipeline_id: pipelineId });
  clock.advance(7);
  const answer = await put(id, { token, state: 'success', exit_code: 0, checksum: 'crc32:0', output: {}, more: [1] });
  assert.deepEqual([answer.status, answer.headers['job-status'], answer.text], [200, 'success', '']);
  const { status, finished_at, failure_reason } = await rowOf(id);
  assert.deepEqual([status, finished_at, failure_reason], ['success', clock.now().toISOString(), null]);
  const pipeline = await reader
    .selectFrom('pipelines')
    .select('status')
    .where('id', '=', pipelineId)
    .executeTakeFirstOrThrow();
  assert.equal(pipeline.status, 'success');
});

test('stores the failure reason; an unknown or missing one becomes unknown_failure', async () => {
  for (const reason of [...FAILURE_REASONS, 'image_pull_failure', undefined]) {
    const { id, token } = await runningJob(here, project);
    await put(id, { token, state: 'failed', failure_reason: reason, exit_code: 3 });
    const expected = FAILURE_REASONS.find((known) => known === reason) ?? 'unknown_failure';
    const { status, failure_reason, exit_code } = await rowOf(id);
    assert.deepEqual([status, failure_reason, exit_code], ['failed', expected, 3]);
  }
});

test('allows the failure of a job with an allowed exit code', async () => {
  const options = JSON.stringify({ script: ['x'], allow_failure_exit_codes: [137] });
  for (const [exit_code, allowed] of [
    [137, true],
    [1, false],
  ] as const) {
    const { id, token } = await runningJob(here, project, { options });
    await put(id, { token, state: 'failed', failure_reason: 'script_failure', exit_code });
    assert.equal(Boolean((await rowOf(id)).allow_failure), allowed, String(exit_code));
  }
});

test('records a heartbeat when a runner reports a running job', async () => {
  const runner = await runnerRow(here);
  const { id, headers } = await runningJob(here, project, { runner_id: runner.id });
  clock.advance(60);
  const answer = await put(id, { state: 'running' }, headers);
  assert.deepEqual([answer.status, answer.headers['job-status']], [200, 'running']);
  assert.equal((await rowOf(id)).last_seen_at, clock.now().toISOString());
});

test('returns 400 for a missing or unknown state', async () => {
  const { id, token } = await runningJob(here, project);
  assert.deepEqual((await put(id, { token })).body, { error: 'state is missing, state does not have a valid value' });
  for (const state of ['pending', 'canceled', '', 7]) {
    const answer = await put(id, { token, state });
    assert.deepEqual([answer.status, answer.body], [400, { error: 'state does not have a valid value' }]);
  }
  assert.equal((await rowOf(id)).status, 'running');
});

test('returns 403 with the final status to repeated reports, which change nothing', async () => {
  const { id, token } = await runningJob(here, project);
  await put(id, { token, state: 'success' });
  for (const state of ['failed', 'success', 'running']) {
    const again = await put(id, { token, state });
    assert.deepEqual([again.status, again.body], [403, { message: '403 Forbidden - Job is not processing on runner' }]);
    assert.equal(again.headers['job-status'], 'success');
  }
  assert.equal((await rowOf(id)).status, 'success');
});

test('returns the same 403 for an unknown job, a wrong token and a pending job', async () => {
  const { token } = await runningJob(here, project);
  for (const id of [999_999, await insertJobRow(here, project), (await runningJob(here, project)).id]) {
    const answer = await put(id, { token, state: 'success' });
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
    assert.equal(answer.headers['job-status'], undefined);
  }
});

test('ends a canceling job as canceled, whatever its result', async () => {
  for (const state of ['success', 'failed']) {
    const { id, token } = await runningJob(here, project, { status: 'canceling' });
    assert.equal((await put(id, { token, state: 'running' })).headers['job-status'], 'canceling');
    assert.equal((await put(id, { token, state })).headers['job-status'], 'canceled');
    assert.equal((await rowOf(id)).status, 'canceled');
  }
});

test('accepts one of several concurrent final reports', async () => {
  const { id, token } = await runningJob(here, project);
  const answers = await Promise.all(['success', 'failed', 'success'].map((state) => put(id, { token, state })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403]);
  const statuses = new Set(answers.map(({ headers }) => headers['job-status']));
  assert.deepEqual([...statuses], [(await rowOf(id)).status]);
});

test('logs a warning if the checksum of the job log differs, and accepts the report', async () => {
  const text = 'a secret: ';
  for (const [reportFor, isMismatch] of [
    [(checksum: string) => ({ checksum: `crc32:${checksum}` }), false],
    [(checksum: string) => ({ output: { checksum: `crc32:${checksum.toUpperCase()}` }, checksum: 'crc32:1' }), false],
    [() => ({ checksum: 'md5:900150983cd24fb0d6963f7d28e17f72' }), false],
    [() => ({}), false],
    [() => ({ checksum: 'crc32:00000001' }), true],
    [() => ({ output: { checksum: 'crc32:00000001' } }), true],
  ] as const) {
    const { id, token, headers } = await runningJob(here, project);
    for (const [raw, start] of [
      [`${text}${token.slice(0, 9)}`, 0],
      [token.slice(9), text.length + 9],
    ] as const) {
      const options = { raw, headers: { ...headers, 'Content-Range': `${start}-` } };
      assert.equal((await anonymous.send('PATCH', `/jobs/${id}/trace`, options)).status, 202);
    }
    const checksum = crc32(`${text}${token}`).toString(16).padStart(8, '0');
    const answer = await put(id, { token, state: 'success', ...reportFor(checksum) });
    assert.deepEqual([answer.status, answer.headers['job-status']], [200, 'success']);
    const hasWarning = here.logged().includes(`"job_id":${id},`);
    assert.equal(hasWarning, isMismatch, JSON.stringify(reportFor(checksum)));
  }
});
