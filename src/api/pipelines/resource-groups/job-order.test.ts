import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { resourceGroupRow } from '#test/support/pipeline-rows.ts';
import { type Project, world } from '#test/support/world.ts';
import { createPipelineFixture, type PipelineFixture } from '../processing/fixtures.testing.ts';
import { cancelPipeline, changeJobStatus } from '../processing/index.ts';

const here = await world({ project: { readme: true, with: ['reporter', 'developer'] } });
const { project, owner, reporter, developer, name } = here;
const { runUnitOfWork, database } = here.server.services;

/** Three pipelines, each with a job of one resource group; the one of the first has it. */
async function inLine(
  of: Project,
  mode?: string,
): Promise<{ pipelines: PipelineFixture[]; next: () => Promise<number[]> }> {
  const key = name('resource');
  const resource_group_id = await resourceGroupRow(here, of, key);
  if (mode) assert.equal((await developer.put(`${of.at}/resource_groups/${key}`, { process_mode: mode })).status, 200);
  const pipelines: PipelineFixture[] = [];
  for (let i = 0; i < 3; i++)
    pipelines.push(await createPipelineFixture(here, of, { ship: { row: { resource_group_id } } }));
  const next = async () => {
    const statuses = await Promise.all(pipelines.map((pipeline) => pipeline.listStatuses()));
    return statuses.flatMap(({ ship }, index) => (ship === 'pending' ? [index] : []));
  };
  return { pipelines, next };
}

test('runs one job of a resource group at a time; the others wait', async () => {
  const { pipelines, next } = await inLine(project);
  const [first, second] = pipelines as [PipelineFixture, PipelineFixture, PipelineFixture];
  assert.deepEqual(await second.listStatuses(), { ship: 'waiting_for_resource', pipeline: 'waiting_for_resource' });
  assert.deepEqual(await next(), [0]);
  await first.runJob('ship');
  assert.deepEqual(await next(), []);
  await developer.post(`${project.at}/jobs/${await first.getJobId('ship')}/cancel`);
  assert.deepEqual(await next(), [1]);
  assert.deepEqual(await second.listStatuses(), { ship: 'pending', pipeline: 'pending' });
  await second.runJob('ship', 'failed');
  assert.deepEqual(await next(), [2]);
});

test('the newest has its turn first where the group says so', async () => {
  for (const mode of ['newest_first', 'newest_ready_first']) {
    const { pipelines, next } = await inLine(project, mode);
    await pipelines[0]!.runJob('ship', 'success');
    assert.deepEqual(await next(), [2], mode);
  }
});

test('the oldest pipeline has its turn first, even when its job is not ready yet', async () => {
  const key = name('resource');
  const resource_group_id = await resourceGroupRow(here, project, key);
  await developer.put(`${project.at}/resource_groups/${key}`, { process_mode: 'oldest_first' });
  const old = await createPipelineFixture(here, project, { build: {}, ship: { stage: 1, row: { resource_group_id } } });
  const young = await createPipelineFixture(here, project, { ship: { row: { resource_group_id } } });
  assert.equal((await young.listStatuses()).ship, 'waiting_for_resource');
  await old.runJob('build', 'success');
  assert.deepEqual(
    [(await old.listStatuses()).ship, (await young.listStatuses()).ship],
    ['pending', 'waiting_for_resource'],
  );
  await old.runJob('ship', 'success');
  assert.equal((await young.listStatuses()).ship, 'pending');
});

test('who has the turn by another order has it when the group is given that order', async () => {
  const key = name('resource');
  const resource_group_id = await resourceGroupRow(here, project, key);
  const order = (process_mode: string) => developer.put(`${project.at}/resource_groups/${key}`, { process_mode });
  await order('oldest_first');
  const old = await createPipelineFixture(here, project, { build: {}, ship: { stage: 1, row: { resource_group_id } } });
  const young = await createPipelineFixture(here, project, { ship: { row: { resource_group_id } } });
  await order('oldest_first');
  assert.deepEqual(await young.listStatuses(), { ship: 'waiting_for_resource', pipeline: 'waiting_for_resource' });
  assert.equal((await order('newest_ready_first')).body.process_mode, 'newest_ready_first');
  assert.deepEqual(await young.listStatuses(), { ship: 'pending', pipeline: 'pending' });
  assert.equal((await old.listStatuses()).ship, 'created');
});

test('passes the resource to the next pipeline when the pipeline that holds it is deleted', async () => {
  const { pipelines } = await inLine(project);
  const [first, second] = pipelines as [PipelineFixture, PipelineFixture, PipelineFixture];
  await first.runJob('ship');
  assert.equal((await owner.delete(`${project.at}/pipelines/${first.id}`)).status, 204);
  assert.deepEqual(await second.listStatuses(), { ship: 'pending', pipeline: 'pending' });
  assert.equal((await owner.delete(`${project.at}/pipelines/${second.id}`)).status, 204);
  assert.equal((await pipelines[2]!.listStatuses()).ship, 'pending');
});

test('a turn that one pipeline gives and the cancelling of the other that gets it come one after the other', async () => {
  for (let round = 0; round < 3; round++) {
    const { pipelines } = await inLine(project);
    const [first, second, third] = pipelines as [PipelineFixture, PipelineFixture, PipelineFixture];
    await first.runJob('ship');
    const [ending, waiting] = [await first.getJobId('ship'), { id: second.id, project_id: project.id }];
    const meet = bothHere();
    // Without the turn of the project's jobs, by which they would not meet.
    const together = (work: (uow: UnitOfWork) => Promise<unknown>) =>
      runUnitOfWork(ANONYMOUS, (uow) => meet(uow).then(() => work(uow)));
    await Promise.all([
      together((uow) => changeJobStatus(uow, ending, ['running'], 'success')),
      together((uow) => cancelPipeline(uow, { ...waiting, status: 'waiting_for_resource' })),
    ]);
    assert.deepEqual(await second.listStatuses(), { ship: 'canceled', pipeline: 'canceled' });
    assert.deepEqual(await third.listStatuses(), { ship: 'pending', pipeline: 'pending' });
  }
});

/** Has two transactions see the same state before either goes on, where the engine runs two at once. */
function bothHere(): (uow: UnitOfWork) => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return async (uow) => {
    await uow.selectFrom('resource_groups').select('id').limit(1).execute();
    if (++come === 2 || database.engine === 'sqlite') resolve();
    await promise;
  };
}

test('allows Developers to read and update resource groups', async () => {
  const key = name('resource');
  await resourceGroupRow(here, project, key);
  const at = `${project.at}/resource_groups`;
  const { body } = await developer.get(`${at}/${key}`);
  assert.deepEqual([body.key, body.process_mode], [key, 'unordered']);
  assert.ok((await developer.get(at)).body.some((group: { key: string }) => group.key === key));
  assert.equal((await reporter.get(at)).status, 403);
  assert.equal((await developer.get(`${at}/gone`)).status, 404);
  const bad = await developer.put(`${at}/${key}`, { process_mode: 'odd' });
  assert.deepEqual(bad.body, { error: 'process_mode does not have a valid value' });
});
