import { ANONYMOUS } from '#authentication/caller.ts';
import { sweepBlobs } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { forgetUnlinkedObjects } from '#repositories/lfs/lfs-objects.ts';
import { momentAfter } from '#runtime/clock.ts';

const HOUR_MS = 3_600_000;
const BATCH = 500;

/** Collects LFS objects that no project has, then the content that no row refers to. */
export const sweepContent = defineJob({
  kind: 'sweep_content',
  async handle({ blobs, database, runUnitOfWork }: Services) {
    let forgotten: number;
    do {
      forgotten = await runUnitOfWork(ANONYMOUS, (uow) =>
        forgetUnlinkedObjects(uow, momentAfter(uow.now, -HOUR_MS), BATCH),
      );
    } while (forgotten === BATCH);
    await sweepBlobs(blobs, database);
  },
});

export const sweepContentDaily: Schedule<Services> = { name: 'sweep_content', cron: '40 3 * * *', job: sweepContent };
