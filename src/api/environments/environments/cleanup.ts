import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { timestamp } from '#runtime/clock.ts';
import { turnsWithJobs } from '../environment-model/index.ts';
import { destroyEnvironment } from './delete.ts';
import { stopEnvironment } from './stopping/stop.ts';

/** What happens to environments when its time has come (contract/environments.md Part 5 "Sweeps"): nobody does it. */

const BATCH = 100;

/** Stops an environment as nobody, unless it can't be; whoever's job that takes is asked as ever. */
export async function stopAsNobody(
  runUnitOfWork: Services['runUnitOfWork'],
  environment: Pick<EnvironmentRow, 'id' | 'project_id'>,
): Promise<void> {
  const turn = turnsWithJobs(environment.project_id, environment.id);
  await runUnitOfWork(ANONYMOUS, (uow) => stopEnvironment(uow, environment, { force: false }), { turn, owed: true });
}

/** One whose time has come, and when it had. */
interface Due extends Pick<EnvironmentRow, 'id' | 'project_id'> {
  readonly due: string;
}

type After = Pick<Due, 'id' | 'due'>;
type FindDue = (db: Reader, now: string, after: After) => { execute(): Promise<Due[]> };

/** Each by itself, the longest due first. What can't be done now is tried again with the next sweep. */
function sweep(kind: string, find: FindDue, sweepOne: (services: Services, due: Due) => Promise<unknown>) {
  return defineJob({
    kind,
    async handle(services: Services, _payload: Record<string, never>, { signal }) {
      const now = timestamp(services.clock);
      for (let after = { due: '', id: 0 }; !signal.aborted; ) {
        const some = await find(services.database.reader, now, after).execute();
        for (const due of some) if (!signal.aborted) await sweepOne(services, due);
        const last = some.at(-1);
        if (last === undefined || some.length < BATCH) return;
        after = last;
      }
    },
  });
}

/** index: environments_by_auto_stop */
export const dueToStop = (db: Reader, now: string, after: After) =>
  db
    .selectFrom('environments')
    .select(['id', 'project_id', sql<string>`auto_stop_at`.as('due')])
    .where('state', '=', sql.lit('available' as const))
    .where('auto_stop_at', '<=', now)
    .where(sql<boolean>`(auto_stop_at, id) > (${after.due}, ${after.id})`)
    .orderBy('auto_stop_at')
    .orderBy('id')
    .limit(BATCH);

/** index: environments_by_auto_delete */
export const dueToGo = (db: Reader, now: string, after: After) =>
  db
    .selectFrom('environments')
    .select(['id', 'project_id', sql<string>`auto_delete_at`.as('due')])
    .where('state', '=', sql.lit('stopped' as const))
    .where('auto_delete_at', '<=', now)
    .where(sql<boolean>`(auto_delete_at, id) > (${after.due}, ${after.id})`)
    .orderBy('auto_delete_at')
    .orderBy('id')
    .limit(BATCH);

export const stopDueEnvironments = sweep('stop-due-environments', dueToStop, ({ runUnitOfWork }, environment) =>
  stopAsNobody(runUnitOfWork, environment),
);

export const destroyDueEnvironments = sweep('destroy-due-environments', dueToGo, ({ runUnitOfWork }, environment) =>
  destroyEnvironment(runUnitOfWork, ANONYMOUS, environment),
);

const EVERY_MINUTE = '* * * * *';

export const sweepEveryMinute: readonly Schedule<Services>[] = [
  { name: 'stop-due-environments', cron: EVERY_MINUTE, job: stopDueEnvironments },
  { name: 'destroy-due-environments', cron: EVERY_MINUTE, job: destroyDueEnvironments },
];
