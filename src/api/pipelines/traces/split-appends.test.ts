import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { streamTrace } from './get.ts';

// Secrets that a runner sends in more than one piece of a log (contract/runners.md §3.4).

const here = await world({ project: {} });
const { anonymous, project, server } = here;
const { reader } = server.services.database;

type Job = Awaited<ReturnType<typeof runningJob>>;

const patch = (job: Job, start: number, text: string) =>
  anonymous.send('PATCH', `/jobs/${job.id}/trace`, {
    raw: text,
    headers: { ...job.headers, 'Content-Range': `${start}-${start + text.length - 1}` },
  });
const logOf = async ({ id }: Job) => (await buffer(streamTrace(server.services, id))).toString('latin1');
const end = async (job: Job) => {
  assert.equal((await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' })).status, 200);
  await here.runJobs();
};

/** Sends these one after the other, and looks at each answer. */
async function send(job: Job, ...pieces: readonly string[]): Promise<number> {
  let length = 0;
  for (const piece of pieces) {
    const answer = await patch(job, length, piece);
    length += piece.length;
    assert.deepEqual([answer.status, answer.headers.range], [202, `0-${length}`]);
  }
  return length;
}

const maskOf = (secret: string) => '[MASKED]'.padEnd(secret.length, 'x');

test('masks a secret at any chunk boundary, before and after the chunks are joined', async () => {
  for (const at of [1, 2, 6, 7, 15, 25]) {
    const job = await runningJob(here, project);
    await send(job, `before ${job.token.slice(0, at)}`, `${job.token.slice(at)} after`);
    const expected = `before ${maskOf(job.token)} after`;
    assert.equal(await logOf(job), expected, `cut at ${at}`);
    await end(job);
    assert.equal(await logOf(job), expected, `cut at ${at}, put together`);
  }
});

test('so is one that comes byte by byte, with signs of life between, and the one right behind it', async () => {
  const { runners_token } = (await project.owner.get(project.at)).body;
  const job = await runningJob(here, project);
  await send(job, ...[...`${job.token}${runners_token}`].flatMap((byte) => [byte, '']));
  assert.equal(await logOf(job), `${maskOf(job.token)}${maskOf(runners_token)}`);
});

test('shows the possible start of a secret once other data or the end of the log follows', async () => {
  const job = await runningJob(here, project);
  const begun = job.token.slice(0, 20);
  let length = await send(job, `a ${begun}`);
  assert.equal(await logOf(job), 'a ');
  const refused = await patch(job, 2, 'too early');
  assert.deepEqual([refused.status, refused.headers.range], [416, `0-${length}`]);
  assert.equal((await patch(job, length, ' b')).status, 202);
  assert.equal(await logOf(job), `a ${begun} b`);
  length += 2;
  assert.equal((await patch(job, length, begun)).headers.range, `0-${length + 20}`);
  const put = await anonymous.put(`/jobs/${job.id}`, { token: job.token, state: 'success' });
  assert.equal(put.status, 200);
  assert.equal(await logOf(job), `a ${begun} b${begun}`);
  await here.runJobs();
  assert.equal(await logOf(job), `a ${begun} b${begun}`);
});

test('neither the rows nor the answers tell of a secret that has come but for a byte', async () => {
  const job = await runningJob(here, project);
  const begun = job.token.slice(0, -1);
  await send(job, begun);
  assert.equal((await project.owner.get(`${project.at}/jobs/${job.id}/trace`)).text, '');
  const row = await reader.selectFrom('jobs').selectAll().where('id', '=', job.id).executeTakeFirstOrThrow();
  assert.ok(row.trace_held !== null && !JSON.stringify(row).includes(begun));
  assert.deepEqual(
    await reader.selectFrom('job_trace_chunks').select('start').where('job_id', '=', job.id).execute(),
    [],
  );
});

test('accepts one of two concurrent appends that continue the beginning of a secret', async () => {
  const job = await runningJob(here, project);
  const begun = job.token.slice(0, 10);
  await send(job, begun);
  const answers = await Promise.all([job.token.slice(10), ' else'].map((text) => patch(job, 10, text)));
  const won = answers.filter(({ status }) => status === 202);
  assert.equal(won.length, 1);
  const log = await logOf(job);
  assert.ok([maskOf(job.token), `${begun} else`].includes(log), log);
  assert.equal(won[0]?.headers.range, `0-${log.length}`);
});

test('a log that is nothing but the beginning of a secret is put together, and erased, like any', async () => {
  const [kept, gone] = [await runningJob(here, project), await runningJob(here, project)];
  await send(kept, 'glcbt-');
  await end(kept);
  assert.equal(await logOf(kept), 'glcbt-');
  await send(gone, 'glcbt-');
  assert.equal((await anonymous.put(`/jobs/${gone.id}`, { token: gone.token, state: 'failed' })).status, 200);
  assert.equal((await project.owner.post(`${project.at}/jobs/${gone.id}/erase`)).status, 201);
  await here.runJobs();
  assert.equal(await logOf(gone), '');
});
