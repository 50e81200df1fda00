import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { timestamp } from '#runtime/clock.ts';
import { isLatestArtifact } from '../jobs/index.ts';
import { deleteExpiredArtifact, listExpiredArtifacts } from './store.ts';

/** Number of artifacts that one query lists. */
const EXPIRY_BATCH_SIZE = 200;

/** Deletes expired artifacts, except those that a project keeps for the latest successful pipelines of its refs. */
export const expireArtifacts = defineJob({
  kind: 'expire_artifacts',
  async handle({ database, clock }: Pick<Services, 'clock' | 'database'>) {
    const now = timestamp(clock);
    for (let cursor: { readonly expire_at: string; readonly id: number } | null = null; ; ) {
      const batch = await listExpiredArtifacts(database.reader, cursor, now, EXPIRY_BATCH_SIZE);
      for (const { id, job_id } of batch) {
        // Checked in the same transaction: a user may keep the artifact, or a pipeline may succeed, in the meantime.
        await database.transaction(async (tx) => {
          if (!(await isLatestArtifact(tx, job_id))) await deleteExpiredArtifact(tx, id);
        });
      }
      cursor = batch.at(-1) ?? null;
      if (batch.length < EXPIRY_BATCH_SIZE) return;
    }
  },
});

export const expireArtifactsDaily: Schedule<Services> = {
  name: 'expire_artifacts',
  cron: '50 2 * * *',
  job: expireArtifacts,
};
