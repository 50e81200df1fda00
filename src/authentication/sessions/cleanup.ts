import type { Database } from '#database/database.ts';
import { sweepInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob, type Job } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { deleteIdleSessions } from './sessions.ts';

const NAME = 'sweep-sessions';
const BATCH = 1_000;

type Services = { readonly database: Database };

/** Deletes the sessions that count for nothing any more. */
export const sweepSessions: Job<Services, Record<string, never>> = defineJob({
  kind: NAME,
  handle: ({ database }) => sweepInBatches(database, BATCH, deleteIdleSessions),
});

export const sweepSessionsDaily: Schedule<Services> = { name: NAME, cron: '10 4 * * *', job: sweepSessions };
