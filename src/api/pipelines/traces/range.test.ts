import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';

// Parts of logs (contract/web.md §3).

const here = await world({ project: { with: ['developer'] } });
const { anonymous, developer, project, runJobs } = here;

const LOG = '0123456789';

/** Creates a running job with a log that runners sent in these parts. */
async function jobWithLog(...parts: string[]) {
  const job = await runningJob(here, project);
  let start = 0;
  for (const raw of parts) {
    const headers = { ...job.headers, 'Content-Range': `${start}-${start + raw.length - 1}` };
    assert.equal((await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw, headers })).status, 202);
    start += raw.length;
  }
  return job;
}

const getRange = (id: number, range: string, headers = {}) =>
  developer.send('GET', `${project.at}/jobs/${id}/trace`, { headers: { Range: range, ...headers } });

/** Ends a job, as its runner does. */
async function finish({ token, id }: Awaited<ReturnType<typeof runningJob>>) {
  assert.equal((await anonymous.put(`/jobs/${id}`, { token, state: 'success' })).status, 200);
}

const RANGES = [
  ['bytes=0-3', '0123', '0-3'],
  ['bytes=2-7', '234567', '2-7'],
  ['bytes=8-', '89', '8-9'],
  ['bytes=8-99', '89', '8-9'],
  ['bytes=8-99999999999999999999', '89', '8-9'],
  ['bytes=-3', '789', '7-9'],
  ['bytes=-99', LOG, '0-9'],
  ['BYTES= 9-9 ', '9', '9-9'],
] as const;

test('returns parts of a growing log whose total is unknown', async () => {
  const { id } = await jobWithLog('0123', '4', '56789');
  for (const [range, text, place] of RANGES) {
    const answer = await getRange(id, range);
    assert.deepEqual([answer.status, answer.text, answer.headers['content-range']], [206, text, `bytes ${place}/*`]);
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  }
});

test('returns parts of a complete log before and after it is assembled', async () => {
  const job = await jobWithLog('0123', '456789');
  await finish(job);
  for (const isAssembled of [false, true]) {
    if (isAssembled) await runJobs();
    for (const [range, text, place] of RANGES) {
      const answer = await getRange(job.id, range);
      assert.deepEqual([answer.status, answer.text, answer.headers['content-range']], [206, text, `bytes ${place}/10`]);
    }
  }
});

test('returns 416 with the length if nothing is selected', async () => {
  const job = await jobWithLog('01234', '56789');
  const empty = await runningJob(here, project);
  for (const [id, range, total] of [
    [job.id, 'bytes=10-', 10],
    [job.id, 'bytes=11-12', 10],
    [job.id, 'bytes=-0', 10],
    [job.id, `bytes=${'9'.repeat(400)}-`, 10],
    [empty.id, 'bytes=0-', 0],
  ] as const) {
    const answer = await getRange(id, range);
    assert.deepEqual([answer.status, answer.headers['content-range']], [416, `bytes */${total}`], range);
    assert.deepEqual(answer.body, { error: '416 Range Not Satisfiable' });
  }
});

test('returns an empty log whole if its end is requested', async () => {
  const { id } = await runningJob(here, project);
  const { status, text, headers } = await getRange(id, 'bytes=-5');
  assert.deepEqual([status, text, headers['content-range']], [200, '', undefined]);
});

test('returns the whole log for an invalid range, for several ranges and with If-Range', async () => {
  const { id } = await jobWithLog(LOG);
  for (const range of ['bytes=5-2', 'bytes=0-1,3-4', 'lines=0-3', 'bytes=-', 'bytes=a-b']) {
    const answer = await getRange(id, range);
    assert.deepEqual([answer.status, answer.text], [200, LOG], range);
    assert.equal(answer.headers['content-range'], undefined);
    assert.equal(answer.headers['accept-ranges'], 'bytes');
  }
  assert.equal((await getRange(id, 'bytes=0-3', { 'If-Range': '"etag"' })).status, 200);
  const head = await developer.send('HEAD', `${project.at}/jobs/${id}/trace`, {
    headers: { Range: 'bytes=0-3' },
  });
  assert.equal(head.status, 200);
});

test('hides bytes at the end of a running log that may start a secret, and returns them once it has ended', async () => {
  const job = await runningJob(here, project);
  const raw = `ab${job.token.slice(0, 5)}`;
  const headers = { ...job.headers, 'Content-Range': `0-${raw.length - 1}` };
  await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw, headers });
  const hidden = await getRange(job.id, 'bytes=0-');
  assert.deepEqual([hidden.text, hidden.headers['content-range']], ['ab', 'bytes 0-1/*']);
  assert.equal((await getRange(job.id, 'bytes=2-')).status, 416);
  await finish(job);
  const visible = await getRange(job.id, 'bytes=4-');
  assert.deepEqual([visible.text, visible.headers['content-range']], [raw.slice(4), `bytes 4-6/7`]);
});
