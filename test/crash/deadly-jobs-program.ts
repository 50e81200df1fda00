import { openDatabase } from '#database/database.ts';
import { defineJob } from '#jobs/job.ts';
import { createJobQueue } from '#jobs/queue.ts';
import { testClock } from '../support/test-clock.ts';

// Runs the jobs of a database until none is due, in a process that some of the jobs end. `deadly-jobs.test.ts` starts it.

/** Written to standard output by the job that does its work. */
export const WORKED = 'worked';

export const kill = defineJob({
  kind: 'kill',
  async handle() {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  },
});

export const overflow = defineJob({
  kind: 'overflow',
  async handle() {
    for (const held: string[][] = []; ; ) held.push(Array.from({ length: 100_000 }, (_, index) => `${index}`));
  },
});

export const work = defineJob({
  kind: 'work',
  async handle() {
    process.stdout.write(`${WORKED}\n`);
  },
});

if (import.meta.main) {
  const [dataDir, url, starts] = process.argv.slice(2) as [string, string, string];
  const clock = testClock();
  // The leases of the process before have expired.
  clock.advance(Number(starts) * 120);
  const database = await openDatabase({ dataDir, url: url === '' ? undefined : url, clock });
  await createJobQueue({ database, clock, services: null, jobs: [kill, overflow, work] }).runDue();
  await database.close();
}
