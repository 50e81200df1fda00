import { ANONYMOUS } from '#authentication/caller.ts';
import { cleanUpBlobs } from '#blobs/cleanup.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { deleteUnlinkedLfsObjects } from '#repositories/lfs/lfs-objects.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import * as endpoints from './endpoints.ts';

/** Age in milliseconds from which an object without links is deleted: an upload stores its object before it links it. */
const MIN_AGE_MS = 3_600_000;
/** Number of objects per transaction. */
const BATCH_SIZE = 500;

/** Deletes LFS objects that no project links, then content that no row refers to. */
const cleanUpLfsContent = defineJob({
  kind: 'clean_up_lfs_content',
  async handle({ blobs, database, runUnitOfWork }: Pick<Services, 'database' | 'blobs' | 'runUnitOfWork'>) {
    let deletedCount: number;
    do {
      deletedCount = await runUnitOfWork(ANONYMOUS, (uow) =>
        deleteUnlinkedLfsObjects(uow, addMilliseconds(uow.now, -MIN_AGE_MS), BATCH_SIZE),
      );
    } while (deletedCount === BATCH_SIZE);
    await cleanUpBlobs(blobs, database);
  },
});

const cleanUpLfsContentSchedule: Schedule<Services> = {
  name: 'clean_up_lfs_content',
  cron: '40 3 * * *',
  job: cleanUpLfsContent,
};

export const lfs = resourceModule({
  endpoints,
  jobs: [cleanUpLfsContent],
  schedules: [cleanUpLfsContentSchedule],
});
