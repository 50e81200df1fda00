import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { mayDeployToEach } from '#authorization/protected-environments/deployment-rules.ts';
import { loadProtectionsForAll } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, subtractYears, timestamp } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { environmentLockKeys } from '../environment-model/index.ts';
import { deleteEnvironment, stopEnvironment } from './changes.ts';

// Scheduled stopping and deletion of environments (contract/environments.md Part 5 "Sweeps"), without an actor.

const BATCH_SIZE = 100;

/** Stops an environment without an actor, if possible. Stop jobs still require the rights of their users. */
async function stopAsSystem(
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
/** Builds the query of the next batch of due environments after the cursor. */
type BuildDueQuery = (db: Reader, now: string, after: DueCursor) => { execute(): Promise<DueEnvironment[]> };

/** Defines a job that handles due environments one by one, oldest first. Failures are retried by the next run. */
function defineCleanupJob(
  kind: string,
  buildQuery: BuildDueQuery,
  handleOne: (services: CleanupServices, environment: DueEnvironment) => Promise<unknown>,
) {
  return defineJob({
    kind,
    async handle(services: CleanupServices, _payload: Record<string, never>, { signal }) {
      const now = timestamp(services.clock);
      // The first cursor sorts before every timestamp.
      for (let cursor = { due: '', id: 0 }; !signal.aborted; ) {
        const batch = await buildQuery(services.database.reader, now, cursor).execute();
        for (const environment of batch) if (!signal.aborted) await handleOne(services, environment);
        const last = batch.at(-1);
        if (last === undefined || batch.length < BATCH_SIZE) return;
        cursor = last;
      }
    },
  });
}

/** Selects the next batch of environments to stop. index: environments_by_auto_stop */
export const buildEnvironmentsToStopQuery = (db: Reader, now: string, after: DueCursor) =>
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
export const buildEnvironmentsToDeleteQuery = (db: Reader, now: string, after: DueCursor) =>
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
  buildEnvironmentsToStopQuery,
  ({ runUnitOfWork }, environment) => stopAsSystem(runUnitOfWork, environment),
);

export const deleteDueEnvironments = defineCleanupJob(
  'destroy-due-environments',
  buildEnvironmentsToDeleteQuery,
  ({ runUnitOfWork }, environment) => deleteEnvironment(runUnitOfWork, ANONYMOUS, environment),
);

const EVERY_MINUTE = '* * * * *';

export const cleanupSchedules: readonly Schedule<Services>[] = [
  { name: 'stop-due-environments', cron: EVERY_MINUTE, job: stopDueEnvironments },
  { name: 'destroy-due-environments', cron: EVERY_MINUTE, job: deleteDueEnvironments },
];

// Stopping of stale environments (contract/environments.md "stop_stale").

const WEEK_MS = 7 * 86_400_000;
const MAX_AGE_YEARS = 10;

/** Enqueues a job that stops the environments unchanged since `before`, which must be between a week and ten years ago. */
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
  kind: 'stop_stale_environments',
  async handle(
    { database, runUnitOfWork, config }: Pick<Services, 'config' | 'database' | 'runUnitOfWork'>,
    { projectId, before }: StopStalePayload,
    { signal },
  ) {
    const project = await findProject(database.reader, ANONYMOUS, String(projectId));
    if (project === null) return;
    for (let cursor: StaleCursor = { updated_at: '', id: 0 }; !signal.aborted; ) {
      const batch = await buildStaleEnvironmentsQuery(database.reader, { projectId, before }, cursor).execute();
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
export function buildStaleEnvironmentsQuery(db: Reader, { projectId, before }: StopStalePayload, after: StaleCursor) {
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

// Scheduled deletion of old environments in the folder `review` (contract/environments.md "review_apps").

const DAY_MS = 86_400_000;
/** Default minimum age. */
const DEFAULT_AGE_MS = 30 * DAY_MS;
/** Delay until the deletion. */
const DELETION_DELAY_MS = 7 * DAY_MS;

interface ScheduleDeletionInput {
  readonly before?: string | null | undefined;
  readonly limit: number;
  readonly dry_run: boolean;
}

/** Schedules the oldest stopped review apps for deletion in a week, all or none. Returns them. A dry run changes nothing. */
export async function scheduleReviewAppDeletion(
  uow: UnitOfWork,
  project: Project,
  { before, limit, dry_run }: ScheduleDeletionInput,
): Promise<readonly EnvironmentRow[] | Failure<'nothingToDelete'>> {
  const reviewApps = await buildOldReviewAppsQuery(uow, project.id, {
    before: before ?? addMilliseconds(uow.now, -DEFAULT_AGE_MS),
    limit,
  }).execute();
  const protections = await loadProtectionsForAll(uow, uow.tier, project, reviewApps);
  const mayDeploy = await mayDeployToEach(uow, uow.actor, project, protections);
  const undeployableApps = reviewApps.filter((_, index) => !mayDeploy[index]);
  // One review app that the caller may not deploy to rejects the whole request.
  if (reviewApps.length === 0 || undeployableApps.length > 0)
    return fail('nothingToDelete', { unprocessable: undeployableApps.map(toUnprocessableEntry) });
  if (!dry_run) await setAutoDeleteAt(uow, reviewApps, addMilliseconds(uow.now, DELETION_DELAY_MS));
  return reviewApps;
}

/** Selects the oldest stopped review apps that are not yet scheduled for deletion. index: environments_review_apps */
export function buildOldReviewAppsQuery(
  db: Reader,
  projectId: number,
  { before, limit }: { readonly before: string; readonly limit: number },
) {
  return db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.project_id', '=', projectId)
    .where('environments.folder', '=', sql.lit('review'))
    .where('environments.state', '=', sql.lit('stopped' as const))
    .where('environments.auto_delete_at', 'is', null)
    .where('environments.created_at', '<', before)
    .orderBy('environments.created_at')
    .orderBy('environments.id')
    .limit(limit);
}

/** Sets the timestamp of the scheduled deletion. index: environments primary key */
async function setAutoDeleteAt(
  tx: Transaction,
  rows: readonly EnvironmentRow[],
  auto_delete_at: string,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx
    .updateTable('environments')
    .set({ auto_delete_at })
    .where(isInIds(tx, sql.ref('id'), ids))
    .execute();
}

const toUnprocessableEntry = ({ id, name, slug, external_url, created_at, updated_at }: EnvironmentRow) => ({
  id,
  name,
  slug,
  external_url,
  created_at,
  updated_at,
});
