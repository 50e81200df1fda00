import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { registerBlob, storeBlob } from '#blobs/store.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import type { EventName, EventPayloads } from '#events/domain-events.ts';
import { isFailure } from '#runtime/failure.ts';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

const here = await world();
const { newProject, root, server, runJobs } = here;
const { database, runUnitOfWork } = server.services;

/** Inserts a pipeline with one more job than a batch holds. */
async function insertLargePipeline(project: Project): Promise<void> {
  const pipeline_id = await insertPipelineRow(here, project);
  const firstId = await insertJobRow(here, project, { pipeline_id, status: 'success' });
  await database.transaction(async (tx) => {
    const { id: _id, ...template } = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', firstId)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: BATCH_SIZE }, (_, index) => ({ ...template, name: `job ${index}` }));
    for (let from = 0; from < BATCH_SIZE; from += 20)
      await tx
        .insertInto('jobs')
        .values(rows.slice(from, from + 20))
        .execute();
  });
}

const rowsOf = async (table: 'jobs' | 'pipelines', { id }: Project) =>
  database.reader.selectFrom(table).select('user_id').where('project_id', '=', id).execute();
const publishBatch = <Name extends EventName>(name: Name, payload: EventPayloads[Name]) =>
  runUnitOfWork(ANONYMOUS, (uow) => uow.publishBatch(name, payload));

test('deletes the jobs of a destroyed project in batches, then its pipelines', async () => {
  const project = await newProject();
  await insertLargePipeline(project);
  const payload = { projectId: project.id, storage: '', diskPath: '' };
  assert.equal(await publishBatch('project-destroyed', payload), true);
  assert.deepEqual([(await rowsOf('jobs', project)).length, (await rowsOf('pipelines', project)).length], [1, 1]);
  while (await publishBatch('project-destroyed', payload));
  assert.deepEqual([await rowsOf('jobs', project), await rowsOf('pipelines', project)], [[], []]);
});

test('clears a deleted user from their pipelines and jobs in batches, and keeps the rows', async () => {
  const group = await here.newGroup();
  const member = await group.addMember('developer');
  const project = await newProject({ in: group });
  await insertLargePipeline({ ...project, owner: member } as Project);
  const countJobsWithUser = async () =>
    (await rowsOf('jobs', project)).filter(({ user_id }) => user_id !== null).length;
  assert.equal(await publishBatch('user-deleted', { userId: member.id, ghostUserId: root.id, hard: false }), true);
  assert.equal(await countJobsWithUser(), 1);
  await expectSuccess(root.delete(`/users/${member.id}`));
  await runJobs();
  assert.equal(await countJobsWithUser(), 0);
  assert.deepEqual(await rowsOf('pipelines', project), [{ user_id: null }]);
  assert.equal((await rowsOf('jobs', project)).length, BATCH_SIZE + 1);
});

test('counts dependent rows of jobs against the batch size, and deletes all of them', async () => {
  const project = await newProject();
  const job_id = await insertJobRow(here, project, { status: 'success', tags: ['a', 'b'] });
  const blob = await storeBlob(server.services.blobs, Buffer.from('x'));
  assert.ok(!isFailure(blob));
  const chunks = Array.from({ length: BATCH_SIZE + 2 }, (_, start) => ({ job_id, start, ...blob }));
  await database.transaction(async (tx) => {
    await registerBlob(tx, blob);
    for (let at = 0; at < chunks.length; at += 100)
      await tx
        .insertInto('job_trace_chunks')
        .values(chunks.slice(at, at + 100))
        .execute();
  });
  const remaining = async () => {
    const rows = database.reader.selectFrom('job_trace_chunks').select('start').where('job_id', '=', job_id);
    return [(await rows.execute()).length, (await rowsOf('jobs', project)).length];
  };
  const payload = { projectId: project.id, storage: '', diskPath: '' };
  assert.equal(await publishBatch('project-destroyed', payload), true);
  assert.deepEqual(await remaining(), [2, 1]);
  while (await publishBatch('project-destroyed', payload));
  assert.deepEqual(await remaining(), [0, 0]);
});

test('deletes fewer jobs with many tags and fewer pipelines with many variables per batch', async () => {
  const project = await newProject();
  const pipeline_id = await insertPipelineRow(here, project);
  const tags = Array.from({ length: BATCH_SIZE / 2 }, (_, index) => `tag ${index}`);
  for (let at = 0; at < 3; at++) await insertJobRow(here, project, { pipeline_id, tags, status: 'success' });
  const other = await insertPipelineRow(here, project);
  const values = Array.from({ length: BATCH_SIZE }, (_, index) => ({
    pipeline_id: other,
    key: `K${index}`,
    value: '',
    variable_type: 'env_var' as const,
    raw: false,
  }));
  await database.transaction(async (tx) => {
    for (let at = 0; at < BATCH_SIZE; at += 100)
      await tx
        .insertInto('pipeline_variables')
        .values(values.slice(at, at + 100))
        .execute();
  });
  const payload = { projectId: project.id, storage: '', diskPath: '' };
  const remaining: number[][] = [];
  for (let more = true; more; ) {
    more = await publishBatch('project-destroyed', payload);
    remaining.push([(await rowsOf('jobs', project)).length, (await rowsOf('pipelines', project)).length]);
  }
  assert.deepEqual(remaining, [
    [2, 2],
    [1, 2],
    [0, 1],
    [0, 0],
  ]);
});

test('deletes a pipeline with more jobs than a batch holds', async () => {
  const project = await newProject();
  await insertLargePipeline(project);
  const [pipeline] = (await project.owner.get(`${project.at}/pipelines`)).body;
  assert.equal((await project.owner.delete(`${project.at}/pipelines/${pipeline.id}`)).status, 204);
  assert.deepEqual([await rowsOf('jobs', project), await rowsOf('pipelines', project)], [[], []]);
});
