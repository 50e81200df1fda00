import { defineJob, type Job } from '../background/job.ts';
import type { Schedule } from '../background/schedules.ts';
import type { Database } from '../database/database.ts';
import { deleteIdleSessions } from './sessions.ts';

const name = 'sweep-sessions';
const BATCH = 1_000;

type Rooms = { readonly database: Database };

/** Deletes the sessions that count for nothing any more. */
export const sweepSessions: Job<Rooms, Record<string, never>> = defineJob({
  kind: name,
  async handle({ database }) {
    const sweep = () => database.transaction((tx) => deleteIdleSessions(tx, BATCH), { isolation: 'read committed' });
    while ((await sweep()) === BATCH);
  },
});

export const sweepSessionsDaily: Schedule<Rooms> = { name, cron: '10 4 * * *', job: sweepSessions };
