import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRunner } from '#authorization/runners.ts';
import { explainPlan } from '#database/dialect.ts';
import { runnerRow } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { buildCandidatesQuery } from './claim-job.ts';

const here = await world();
const { database } = here.server.services;

test('reads only pending jobs when it lists candidates, however many are finished', async () => {
  const [group, project] = [await here.newGroup(), await here.newProject()];
  for (const row of [{}, { runner_type: 'group_type', group_id: group.id }, { projects: [project.id] }] as const) {
    const runner = await findRunner(database.reader, (await runnerRow(here, { tags: ['a'], ...row })).id);
    assert.ok(runner);
    const plan = await database.transaction((tx) => explainPlan(tx, buildCandidatesQuery(tx, runner)));
    // In the words of the two engines: `SEARCH jobs USING INDEX jobs_pending`, `Index Scan using jobs_pending on jobs`.
    const jobScans = plan.filter((line) =>
      /\b(?:SCAN|SEARCH) jobs\b|\bon jobs\b(?! running_job)|Scan on jobs_/.test(line),
    );
    assert.ok(jobScans.length > 0, plan.join('\n'));
    for (const line of jobScans) assert.match(line, /jobs_pending|jobs_by_status/, plan.join('\n'));
    assert.doesNotMatch(plan.join('\n'), /SCAN projects|projects_by_deletion/);
    const runningScans = plan.filter((line) => /\b(?:SCAN|SEARCH) running_job\b|\bon jobs running_job\b/.test(line));
    for (const line of runningScans)
      assert.match(line, /jobs_running|jobs_by_runner_status|Bitmap Heap/, plan.join('\n'));
  }
});
