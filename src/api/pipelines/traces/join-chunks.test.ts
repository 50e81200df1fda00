import assert from 'node:assert/strict';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { joinTraceChunks, streamTrace } from './get.ts';

// Logs that come in very many pieces, as those do that somebody watches for an hour.

const here = await world({ project: {} });
const { anonymous, clock, project, server } = here;
const { reader } = server.services.database;

type Job = Awaited<ReturnType<typeof runningJob>>;

const rowsOf = ({ id }: Job) =>
  reader.selectFrom('job_trace_chunks').select(['start', 'size']).where('job_id', '=', id).orderBy('start').execute();

async function send(job: Job, start: number, pieces: readonly string[]): Promise<number> {
  let at = start;
  for (const raw of pieces) {
    const headers = { ...job.headers, 'Content-Range': `${at}-` };
    assert.equal((await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw, headers })).status, 202);
    at += raw.length;
  }
  return at;
}

const join = (jobId: number) =>
  joinTraceChunks.handle(server.services, { jobId }, { id: 1, attempt: 1, signal: new AbortController().signal });

const numbered = (from: number, count: number) => Array.from({ length: count }, (_, at) => `line ${from + at}\n`);

test('joins small chunks of a log, keeps large ones, and leaves the log unchanged', async () => {
  const job = await runningJob(here, project);
  const pieces = ['x'.repeat(70_000), ...numbered(0, 101)];
  const length = await send(job, 0, pieces.slice(0, 100));
  await here.runJobs();
  assert.equal((await rowsOf(job)).length, 100);
  await send(job, length, pieces.slice(100));
  await here.runJobs();
  const whole = pieces.join('');
  assert.deepEqual(await rowsOf(job), [
    { start: 0, size: 70_000 },
    { start: 70_000, size: whole.length - 70_000 },
  ]);
  await send(job, whole.length, ['end']);
  assert.equal(await text(streamTrace(server.services, job.id)), `${whole}end`);
  await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' });
  await here.runJobs();
  assert.equal(await text(streamTrace(server.services, job.id)), `${whole}end`);
});

test('returns each byte once to readers while chunks are joined', async () => {
  const job = await runningJob(here, project);
  // More than are looked up at a time.
  const [first, pieces] = ['x'.repeat(150_000), numbered(0, 210)];
  const length = await send(job, 0, [first, ...pieces.slice(0, 110)]);
  clock.advance(60);
  await send(job, length, pieces.slice(110));
  const log = streamTrace(server.services, job.id);
  await once(log, 'readable');
  await here.runJobs();
  assert.equal((await rowsOf(job)).length, 2);
  const read = (await buffer(log)).toString();
  assert.ok(read.startsWith(first));
  assert.equal(read.slice(first.length), pieces.join(''));
});

test('joins no chunks of finished or erased jobs', async () => {
  const job = await runningJob(here, project);
  await send(job, 0, numbered(0, 3));
  const { id, token } = job;
  await anonymous.put(`/jobs/${id}`, { token, state: 'success' });
  await join(id);
  assert.equal((await rowsOf(job)).length, 3);
  assert.equal((await project.owner.post(`${project.at}/jobs/${id}/erase`)).status, 201);
  await join(id);
  await here.runJobs();
  assert.equal(await text(streamTrace(server.services, id)), '');
});
