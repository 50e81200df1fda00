import { sql } from 'kysely';
import { serializeEnvironmentFields } from '#api/environments/environment-model/index.ts';
import { mayDeployToEach } from '#authorization/protected-environments/deployment-rules.ts';
import { loadProtectionsForAll } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';

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
  const reviewApps = await oldReviewAppsQuery(uow, project.id, {
    before: before ?? addMilliseconds(uow.now, -DEFAULT_AGE_MS),
    limit,
  }).execute();
  const protections = await loadProtectionsForAll(uow, uow.tier, project, reviewApps);
  const mayDeploy = await mayDeployToEach(uow, uow.actor, project, protections);
  const undeployableApps = reviewApps.filter((_, index) => !mayDeploy[index]);
  // One review app that the caller may not deploy to rejects the whole request.
  if (reviewApps.length === 0 || undeployableApps.length > 0)
    return fail('nothingToDelete', { unprocessable: undeployableApps.map(serializeEnvironmentFields) });
  if (!dry_run) await setAutoDeleteAt(uow, reviewApps, addMilliseconds(uow.now, DELETION_DELAY_MS));
  return reviewApps;
}

/** Selects the oldest stopped review apps that are not yet scheduled for deletion. index: environments_review_apps */
export function oldReviewAppsQuery(
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
