import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { timestamp } from '#runtime/clock.ts';
import { environmentLockKeys } from '../environment-model/index.ts';
import { deleteEnvironment } from './changes.ts';
import { stopEnvironment } from './stopping/stop.ts';

// Scheduled stopping and deletion of environments (contract/environments.md Part 5 "Sweeps"), without an actor.

const BATCH_SIZE = 100;

/** Stops an environment without an actor, if possible. Stop jobs still require the rights of their users. */
export async function stopAsSystem(
  runUnitOfWork: Services['runUnitOfWork'],
  environment: Pick<EnvironmentRow, 'id' | 'project_id'>,
): Promise<void> {
  const lockKeys = environmentLockKeys(environment.project_id, environment.id);
  await runUnitOfWork(ANONYMOUS, (uow) => stopEnvironment(uow, environment, { force: false }), {
    lock: lockKeys,
    exemptFromLimit: true,
  });
}

/** A due environment and the time at which it was due. */
interface DueEnvironment extends Pick<EnvironmentRow, 'id' | 'project_id'> {
  readonly due: string;
}

type CleanupServices = Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>;
type DueCursor = Pick<DueEnvironment, 'id' | 'due'>;
type FindDue = (db: Reader, now: string, after: DueCursor) => { execute(): Promise<DueEnvironment[]> };

/** Defines a job that handles due environments one by one, oldest first. Failures are retried by the next run. */
function defineCleanupJob(
  kind: string,
  find: FindDue,
  handleOne: (services: CleanupServices, environment: DueEnvironment) => Promise<unknown>,
) {
  return defineJob({
    kind,
    async handle(services: CleanupServices, _payload: Record<string, never>, { signal }) {
      const now = timestamp(services.clock);
      // The first cursor sorts before every timestamp.
      for (let cursor = { due: '', id: 0 }; !signal.aborted; ) {
        const batch = await find(services.database.reader, now, cursor).execute();
        for (const environment of batch) if (!signal.aborted) await handleOne(services, environment);
        const last = batch.at(-1);
        if (last === undefined || batch.length < BATCH_SIZE) return;
        cursor = last;
      }
    },
  });
}

/** Selects the next batch of environments to stop. index: environments_by_auto_stop */
export const environmentsToStopQuery = (db: Reader, now: string, after: DueCursor) =>
  db
    .selectFrom('environments')
    .select(['id', 'project_id', sql<string>`auto_stop_at`.as('due')])
    .where('state', '=', sql.lit('available' as const))
    .where('auto_stop_at', '<=', now)
    .where(sql<boolean>`(auto_stop_at, id) > (${after.due}, ${after.id})`)
    .orderBy('auto_stop_at')
    .orderBy('id')
    .limit(BATCH_SIZE);

/** Selects the next batch of environments to delete. index: environments_by_auto_delete */
export const environmentsToDeleteQuery = (db: Reader, now: string, after: DueCursor) =>
  db
    .selectFrom('environments')
    .select(['id', 'project_id', sql<string>`auto_delete_at`.as('due')])
    .where('state', '=', sql.lit('stopped' as const))
    .where('auto_delete_at', '<=', now)
    .where(sql<boolean>`(auto_delete_at, id) > (${after.due}, ${after.id})`)
    .orderBy('auto_delete_at')
    .orderBy('id')
    .limit(BATCH_SIZE);

export const stopDueEnvironments = defineCleanupJob(
  'stop-due-environments',
  environmentsToStopQuery,
  ({ runUnitOfWork }, environment) => stopAsSystem(runUnitOfWork, environment),
);

export const deleteDueEnvironments = defineCleanupJob(
  'destroy-due-environments',
  environmentsToDeleteQuery,
  ({ runUnitOfWork }, environment) => deleteEnvironment(runUnitOfWork, ANONYMOUS, environment),
);

const EVERY_MINUTE = '* * * * *';

export const cleanupSchedules: readonly Schedule<Services>[] = [
  { name: 'stop-due-environments', cron: EVERY_MINUTE, job: stopDueEnvironments },
  { name: 'destroy-due-environments', cron: EVERY_MINUTE, job: deleteDueEnvironments },
];
