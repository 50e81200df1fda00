import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, insertPipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';

const here = await world({ project: {} });
const { project, root } = here;

async function addJob(): Promise<void> {
  const { id } = await runnerRow(here, { tags: ['a', 'b'], projects: [project.id] });
  const pipeline_id = await insertPipelineRow(here, project);
  await insertJobRow(here, project, { pipeline_id, status: 'running', runner_id: id });
}

test('lists of runners, pipelines and jobs run the same number of statements for any number of rows', async () => {
  const paths = ['/runners/all', ...['runners', 'pipelines', 'jobs'].map((resource) => `${project.at}/${resource}`)];
  const statementCounts = async () => {
    const counts: number[] = [];
    for (const path of paths) counts.push(await statements(here, () => root.get(path)));
    return counts;
  };
  await addJob();
  await addJob();
  const expected = await statementCounts();
  for (let count = 0; count < 5; count += 1) await addJob();
  assert.deepEqual(await statementCounts(), expected);
  assert.equal((await root.get(`${project.at}/jobs`)).body.length, 7);
});
