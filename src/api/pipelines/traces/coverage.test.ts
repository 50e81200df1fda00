import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertPipelineRow, runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';

// What logs tell of tests (`coverage`, contract/runners.md §6).

const here = await world({ project: {} });
const { anonymous, project } = here;
const { owner } = project;

/**
 * Returns the coverage of a job with this log and expression, and that of its pipeline.
 */
async function covered(log: string, coverage: string | null, state = 'success'): Promise<unknown> {
  const pipeline = await insertPipelineRow(here, project);
  const options = JSON.stringify({ script: ['make'], coverage });
  const job = await runningJob(here, project, { pipeline_id: pipeline, options });
  const range = { ...job.headers, 'Content-Range': `0-${log.length}` };
  await anonymous.send('PATCH', `/jobs/${job.id}/trace`, { raw: log, headers: range });
  assert.equal((await anonymous.put(`/jobs/${job.id}`, { token: job.token, state })).status, 200);
  await here.runJobs();
  const found = await owner.get(`${project.at}/jobs/${job.id}`);
  return [found.body.coverage, (await owner.get(`${project.at}/pipelines/${pipeline}`)).body.coverage];
}

const TOTAL = '/TOTAL.*? (100(?:\\.0+)?%|[1-9]?\\d(?:\\.\\d+)?%)$/';

for (const [content, log, pattern, coverage] of [
  ['the first number of a match', 'Cov: 77.25% of 9\n', '/Cov: \\d+\\.\\d+%.*/', [77.25, '77.25']],
  ['the last match', 'Cov: 10%\nCov: 20% Cov: 30%\nend', '/Cov: \\d+%/', [30, '30.00']],
  ['the last group of the match', 'a 1 b 2 c\n', '/a (\\d) b (\\d)/', [2, '2.00']],
  ['the first match that runs to the end of a line', 'TOTAL 12 0 100%\r\nTOTAL 9% of 1\n\n', TOTAL, [100, '100.00']],
  ['the previous match if the last one has no number', 'Cov: 5\nCov: none\n', '/Cov: \\w+/', [5, '5.00']],
  ['nothing without a match', 'no tests\n', '/Cov: \\d+/', [null, null]],
  ['nothing with an invalid expression', 'Cov: 5\n', '/(/', [null, null]],
  ['nothing without an expression', 'Cov: 5\n', null, [null, null]],
] as const) {
  test(`extracts the coverage from a log: ${content}`, async () =>
    assert.deepEqual(await covered(log, pattern), coverage));
}

test('extracts the coverage of a failed job', async () => {
  assert.deepEqual(await covered('Cov: 5\n', '/Cov: \\d+/', 'failed'), [5, '5.00']);
});

test('searches a long log from its end, and not to its beginning', async () => {
  const lines = (count: number) => 'x'.repeat(999).concat('\n').repeat(count);
  assert.deepEqual(await covered(`Cov: 5\n${lines(900)}`, '/Cov: \\d+/'), [5, '5.00']);
  assert.deepEqual(await covered(`Cov: 5\n${lines(1_100)}`, '/Cov: \\d+/'), [null, null]);
});
