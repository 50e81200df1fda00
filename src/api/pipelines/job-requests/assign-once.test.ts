import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRow, pipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';

// Fifty runners ask at once for more jobs than they can run together (contract/runners.md §7), and run them all.

const here = await world();
const { anonymous, server } = here;
const { database } = server.services;
const RUNNERS = 50;
const JOBS = 100;
const PIPELINES = 20;

const projects = [await here.newProject(), await here.newProject()];
const runners: Awaited<ReturnType<typeof runnerRow>>[] = [];
for (let at = 0; at < RUNNERS; at++) runners.push(await runnerRow(here, { projects: projects.map(({ id }) => id) }));

/** As many jobs as this, of several pipelines, in few statements. */
async function jobs(count: number): Promise<number[]> {
  const first = await jobRow(here, projects[0]!);
  const model = await database.reader.selectFrom('jobs').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
  const { id: _, ...values } = model;
  const pipelines: { id: number; project_id: number }[] = [];
  for (let at = 0; at < PIPELINES; at++) {
    const project = projects[at % projects.length]!;
    pipelines.push({ id: await pipelineRow(here, project), project_id: project.id });
  }
  const rows = Array.from({ length: count - 1 }, (_, at) => {
    const { id: pipeline_id, project_id } = pipelines[at % PIPELINES]!;
    return { ...values, name: `job ${at}`, pipeline_id, project_id };
  });
  const made = await database.transaction(async (tx) => {
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
  return [first, ...made];
}

/** Asks until there is nothing more, and tells what it was given. */
async function work(token: string, system_id: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const { status, body } = await anonymous.post('/jobs/request', { token, system_id });
    if (status === 204) return ids;
    assert.ok(status === 201 || status === 409, `${status} ${JSON.stringify(body)}`);
    if (status === 201) ids.push(body.id);
  }
}

test('of fifty runners that ask at once for a hundred jobs each job is given to one', async () => {
  const wanted = await jobs(JOBS);
  const worked = await Promise.all(runners.map(({ token }, at) => work(token, `s_${at}`)));
  const given = worked.flat();
  assert.deepEqual(
    given.toSorted((a, b) => a - b),
    wanted.toSorted((a, b) => a - b),
  );
  const rows = await database.reader.selectFrom('jobs').select(['id', 'status', 'runner_id']).execute();
  const owner = new Map(rows.map(({ id, runner_id }) => [id, runner_id]));
  for (const [at, ids] of worked.entries()) for (const id of ids) assert.equal(owner.get(id), runners[at]!.id);
  assert.ok(rows.every(({ status }) => status === 'running'));
});
