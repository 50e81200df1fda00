import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';

// The needs of jobs (contract/web.md §3).

const here = await world({ project: { visibility: 'public' } });
const { project, anonymous } = here;

const needsOf = (...names: string[]) => JSON.stringify(names.map((job) => ({ job, artifacts: true, optional: true })));

test('returns the ids of the needed jobs, of all parts of a parallel job, and null for a job without needs', async () => {
  const pipeline_id = await insertPipelineRow(here, project);
  const insert = (name: string, needs: string | null = null) =>
    insertJobRow(here, project, { pipeline_id, name, needs });
  const [build, first, second] = [await insert('build'), await insert('unit 1/2'), await insert('unit 2/2')];
  const lint = await insert('lint', needsOf());
  const pack = await insert('pack', needsOf('build', 'unit', 'absent'));
  const { status, body } = await anonymous.get(`${project.at}/pipelines/${pipeline_id}/needs`);
  assert.equal(status, 200);
  assert.deepEqual(body, [
    { id: build, needs: null },
    { id: first, needs: null },
    { id: second, needs: null },
    { id: lint, needs: [] },
    { id: pack, needs: [build, first, second] },
  ]);
});

test('refers to the latest attempt of a job', async () => {
  const pipeline_id = await insertPipelineRow(here, project);
  await insertJobRow(here, project, { pipeline_id, name: 'build', retried: true, status: 'failed' });
  const again = await insertJobRow(here, project, { pipeline_id, name: 'build' });
  const pack = await insertJobRow(here, project, { pipeline_id, name: 'pack', needs: needsOf('build') });
  const { body } = await anonymous.get(`${project.at}/pipelines/${pipeline_id}/needs`);
  assert.deepEqual(body, [
    { id: again, needs: null },
    { id: pack, needs: [again] },
  ]);
});

test('returns 404 for a pipeline of another project', async () => {
  const other = await here.newProject({ visibility: 'public' });
  const pipelineId = await insertPipelineRow(here, other);
  assert.equal((await anonymous.get(`${project.at}/pipelines/${pipelineId}/needs`)).status, 404);
});
