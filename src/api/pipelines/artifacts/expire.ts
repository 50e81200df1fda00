import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { timestamp } from '#runtime/clock.ts';
import { isLatestKept } from '../jobs/index.ts';
import { deleteExpired, expiredArtifacts } from './store.ts';

const BATCH = 200;

/** Deletes what has expired of what jobs have left, but for what a project keeps of its refs' latest successes. */
export const expireArtifacts = defineJob({
  kind: 'expire_artifacts',
  async handle({ database, clock }: Services) {
    const now = timestamp(clock);
    for (let after: { readonly expire_at: string; readonly id: number } | null = null; ; ) {
      const some = await expiredArtifacts(database.reader, after, now, BATCH);
      for (const { id, job_id } of some) {
        // Asked where it goes: somebody may keep it meanwhile, or a pipeline succeed.
        await database.transaction(async (tx) => {
          if (!(await isLatestKept(tx, job_id))) await deleteExpired(tx, id);
        });
      }
      after = some.at(-1) ?? null;
      if (some.length < BATCH) return;
    }
  },
});

export const expireArtifactsDaily: Schedule<Services> = {
  name: 'expire_artifacts',
  cron: '50 2 * * *',
  job: expireArtifacts,
};
