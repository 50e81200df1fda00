import type { Database } from '#database/database.ts';
import { sweepInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob, type Job } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { deleteOldGrants } from './authorization-codes.ts';
import { deleteAbandonedTokens, deleteRevokedTokens, deleteUnrenewableTokens } from './tokens.ts';

const NAME = 'sweep-oauth';
const BATCH = 1_000;

type Services = { readonly database: Database };

/** Deletes codes that are over and tokens that have been dead for long. */
export const sweepOAuth: Job<Services, Record<string, never>> = defineJob({
  kind: NAME,
  async handle({ database }) {
    for (const deleteSome of [deleteOldGrants, deleteRevokedTokens, deleteUnrenewableTokens, deleteAbandonedTokens]) {
      await sweepInBatches(database, BATCH, deleteSome);
    }
  },
});

export const sweepOAuthDaily: Schedule<Services> = { name: NAME, cron: '50 4 * * *', job: sweepOAuth };
