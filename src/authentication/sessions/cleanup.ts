import type { Database } from '#database/database.ts';
import { deleteInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { deleteIdleSessions } from './sessions.ts';

const NAME = 'sweep-sessions';
const BATCH_SIZE = 1_000;

type CleanupServices = { readonly database: Database };

/** Deletes expired sessions. */
export const cleanUpSessionsJob: JobDefinition<CleanupServices, Record<string, never>> = defineJob({
  kind: NAME,
  handle: ({ database }) => deleteInBatches(database, BATCH_SIZE, deleteIdleSessions),
});

export const cleanUpSessionsDaily: Schedule<CleanupServices> = {
  name: NAME,
  cron: '10 4 * * *',
  job: cleanUpSessionsJob,
};
