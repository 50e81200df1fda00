import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '#database/database.ts';
import { enqueue, type JobDefinition } from '#jobs/job.ts';
import { testPlace } from '../engines/engine.ts';
import { testClock } from '../support/test-clock.ts';
import { kill, overflow, WORKED, work } from './deadly-jobs-program.ts';

const PROGRAM = join(import.meta.dirname, 'deadly-jobs-program.ts');

for (const [title, deadly] of [
  ['a job that kills its process', kill],
  ['a job that fills the heap', overflow],
] as const) {
  test(`${title} fails after it has killed two processes, and concurrent jobs complete`, async () => {
    await using place = await testPlace();
    const database = await openDatabase({ ...place, clock: testClock() });
    const jobs: JobDefinition<null, object>[] = [work, deadly, work];
    await database.transaction(async (tx) => {
      for (const job of jobs) await enqueue(tx, job, {});
    });
    const runs: { survived: boolean; worked: number }[] = [];
    while (runs.length < 4 && !runs.at(-1)?.survived) {
      const argv = ['--max-old-space-size=64', PROGRAM, place.dataDir, place.url ?? '', String(runs.length)];
      const { status, stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
      runs.push({ survived: status === 0, worked: stdout.split(WORKED).length - 1 });
    }
    assert.deepEqual(
      runs.map(({ survived }) => survived),
      [false, false, true],
    );
    const [dead, ...others] = await database.reader.selectFrom('background_jobs').selectAll().execute();
    await database.close();
    assert.deepEqual([dead!.kind, dead!.state, others], [deadly.kind, 'dead', []]);
    assert.match(dead!.last_error!, /^ProcessDied/);
    // Each at least once: the process may have died before the result of a job was stored.
    assert.ok(runs.reduce((sum, { worked }) => sum + worked, 0) >= 2, JSON.stringify(runs));
  });
}
