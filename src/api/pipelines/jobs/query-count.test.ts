import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRow, pipelineRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';

const here = await world({ project: {} });
const { project, root } = here;

async function more(): Promise<void> {
  const { id } = await runnerRow(here, { tags: ['a', 'b'], projects: [project.id] });
  const pipeline_id = await pipelineRow(here, project);
  await jobRow(here, project, { pipeline_id, status: 'running', runner_id: id });
}

test('lists of runners, pipelines and jobs cost as many statements for two as for many', async () => {
  const paths = ['/runners/all', ...['runners', 'pipelines', 'jobs'].map((what) => `${project.at}/${what}`)];
  const costs = async () => {
    const counts: number[] = [];
    for (const path of paths) counts.push(await statements(here, () => root.get(path)));
    return counts;
  };
  await more();
  await more();
  const few = await costs();
  for (let made = 0; made < 5; made += 1) await more();
  assert.deepEqual(await costs(), few);
  assert.equal((await root.get(`${project.at}/jobs`)).body.length, 7);
});
