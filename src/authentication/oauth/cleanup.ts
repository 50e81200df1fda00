import type { Database } from '#database/database.ts';
import { deleteInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { deleteOldGrants } from './authorization-codes.ts';
import { deleteAbandonedTokens, deleteRevokedTokens, deleteUnrenewableTokens } from './tokens.ts';

const NAME = 'sweep-oauth';
const BATCH_SIZE = 1_000;

type CleanupServices = { readonly database: Database };

/** Deletes expired codes, and revoked, expired and unused tokens, after their retention time. */
export const cleanUpOAuthJob: JobDefinition<CleanupServices, Record<string, never>> = defineJob({
  kind: NAME,
  async handle({ database }) {
    for (const deleteBatch of [deleteOldGrants, deleteRevokedTokens, deleteUnrenewableTokens, deleteAbandonedTokens]) {
      await deleteInBatches(database, BATCH_SIZE, deleteBatch);
    }
  },
});

export const cleanUpOAuthDaily: Schedule<CleanupServices> = { name: NAME, cron: '50 4 * * *', job: cleanUpOAuthJob };
