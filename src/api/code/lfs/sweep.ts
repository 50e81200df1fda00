import { defineJob } from '../../../background/job.ts';
import { type BlobStore, sweepBlobs } from '../../../blobs/index.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/database.ts';
import { forgetUnlinkedObjects, oidsAmong } from '../../../repositories/lfs-objects.ts';

const HOUR_MS = 3_600_000;
const BATCH = 500;

/** Collects LFS objects that no project has, then the content that no row refers to. */
export const sweepContent = defineJob({
  kind: 'sweep_content',
  async handle({
    blobs,
    database,
    clock,
  }: {
    readonly blobs: BlobStore;
    readonly database: Database;
    readonly clock: Clock;
  }) {
    const before = new Date(clock.now().getTime() - HOUR_MS).toISOString();
    let forgotten: number;
    do {
      forgotten = await database.transaction((tx) => forgetUnlinkedObjects(tx, before, BATCH));
    } while (forgotten === BATCH);
    await sweepBlobs(blobs, database, oidsAmong);
  },
});

export const sweepContentDaily = { name: 'sweep_content', cron: '40 3 * * *', job: sweepContent };
