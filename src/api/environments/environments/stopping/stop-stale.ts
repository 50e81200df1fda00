import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { loadProtectionsForAll } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader } from '#database/database.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds, subtractYears } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { stopAsSystem } from '../cleanup.ts';

// Stopping of stale environments (contract/environments.md "stop_stale").

const WEEK_MS = 7 * 86_400_000;
const MAX_AGE_YEARS = 10;
const BATCH_SIZE = 100;

/** Enqueues stopping environments unchanged since `before`, which must be between a week and ten years ago. */
export async function requestStaleStop(
  uow: UnitOfWork,
  projectId: number,
  before: string,
): Promise<{ readonly message: string } | Failure<'invalidDate'>> {
  if (before < subtractYears(uow.now, MAX_AGE_YEARS) || before > addMilliseconds(uow.now, -WEEK_MS))
    return fail('invalidDate');
  await enqueue(uow, stopStaleEnvironments, { projectId, before }, { key: `${projectId} ${before}` });
  return { message: 'Successfully requested stop for all stale environments' };
}

interface StopStalePayload {
  readonly projectId: number;
  readonly before: string;
}

/** Stops stale environments, except protected ones. */
export const stopStaleEnvironments = defineJob({
  kind: 'stop-stale-environments',
  async handle(
    { database, runUnitOfWork, config }: Pick<Services, 'config' | 'database' | 'runUnitOfWork'>,
    { projectId, before }: StopStalePayload,
    { signal },
  ) {
    const project = await findProject(database.reader, ANONYMOUS, String(projectId));
    if (project === null) return;
    for (let cursor: StaleCursor = { updated_at: '', id: 0 }; !signal.aborted; ) {
      const batch = await staleEnvironmentsQuery(database.reader, { projectId, before }, cursor).execute();
      const protections = await loadProtectionsForAll(database.reader, config.tier, project, batch);
      for (const [index, environment] of batch.entries()) {
        if (protections[index]!.length === 0) await stopAsSystem(runUnitOfWork, environment);
      }
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH_SIZE) return;
      cursor = last;
    }
  },
});

type StaleCursor = Pick<EnvironmentRow, 'updated_at' | 'id'>;

/** Selects the next batch of stale environments, oldest change first. index: environments_stale, deployments_by_environment_update */
export function staleEnvironmentsQuery(db: Reader, { projectId, before }: StopStalePayload, after: StaleCursor) {
  return db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.project_id', '=', projectId)
    .where('environments.state', '=', sql.lit('available' as const))
    .where('environments.updated_at', '<', before)
    .where(sql<boolean>`(environments.updated_at, environments.id) > (${after.updated_at}, ${after.id})`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('deployments.id')
            .whereRef('deployments.environment_id', '=', 'environments.id')
            .where('deployments.updated_at', '>=', before),
        ),
      ),
    )
    .orderBy('environments.updated_at')
    .orderBy('environments.id')
    .limit(BATCH_SIZE);
}
