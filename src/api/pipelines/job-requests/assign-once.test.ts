import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, insertPipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';

// Fifty runners request a hundred jobs concurrently (contract/runners.md §7).

const here = await world();
const { anonymous, server } = here;
const { database } = server.services;
const RUNNERS = 50;
const JOBS = 100;
const PIPELINES = 20;

const projects = [await here.newProject(), await here.newProject()];
const runners: Awaited<ReturnType<typeof runnerRow>>[] = [];
for (let at = 0; at < RUNNERS; at++) runners.push(await runnerRow(here, { projects: projects.map(({ id }) => id) }));

/** Inserts this many jobs into several pipelines, with few statements. Returns their ids. */
async function insertJobs(count: number): Promise<number[]> {
  const firstId = await insertJobRow(here, projects[0]!);
  const template = await database.reader
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', firstId)
    .executeTakeFirstOrThrow();
  const { id: _, ...values } = template;
  const pipelines: { id: number; project_id: number }[] = [];
  for (let at = 0; at < PIPELINES; at++) {
    const project = projects[at % projects.length]!;
    pipelines.push({ id: await insertPipelineRow(here, project), project_id: project.id });
  }
  const rows = Array.from({ length: count - 1 }, (_, at) => {
    const { id: pipeline_id, project_id } = pipelines[at % PIPELINES]!;
    return { ...values, name: `job ${at}`, pipeline_id, project_id };
  });
  const otherIds = await database.transaction(async (tx) => {
    const ids: number[] = [];
    for (let at = 0; at < rows.length; at += 25)
      for (const { id } of await tx
        .insertInto('jobs')
        .values(rows.slice(at, at + 25))
        .returning('id')
        .execute())
        ids.push(id);
    return ids;
  });
  return [firstId, ...otherIds];
}

/** Requests jobs until none are left. Returns the ids of the assigned jobs. */
async function requestAllJobs(token: string, system_id: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const { status, body } = await anonymous.post('/jobs/request', { token, system_id });
    if (status === 204) return ids;
    assert.ok(status === 201 || status === 409, `${status} ${JSON.stringify(body)}`);
    if (status === 201) ids.push(body.id);
  }
}

test('assigns each of a hundred jobs to exactly one of fifty concurrent runners', async () => {
  const expected = await insertJobs(JOBS);
  const idsByRunner = await Promise.all(runners.map(({ token }, at) => requestAllJobs(token, `s_${at}`)));
  const assigned = idsByRunner.flat();
  assert.deepEqual(
    assigned.toSorted((a, b) => a - b),
    expected.toSorted((a, b) => a - b),
  );
  const rows = await database.reader.selectFrom('jobs').select(['id', 'status', 'runner_id']).execute();
  const runnerByJob = new Map(rows.map(({ id, runner_id }) => [id, runner_id]));
  for (const [at, ids] of idsByRunner.entries())
    for (const id of ids) assert.equal(runnerByJob.get(id), runners[at]!.id);
  assert.ok(rows.every(({ status }) => status === 'running'));
});
