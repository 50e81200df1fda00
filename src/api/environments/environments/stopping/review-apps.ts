import { sql } from 'kysely';
import { environmentShape } from '#api/environments/environment-model/index.ts';
import { mayDeployToEach } from '#authorization/protected-environments/deployment-rules.ts';
import { protectionsOfAll } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { momentAfter } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** Old environments of the folder `review` that are to go (contract/environments.md "review_apps"). */

const DAY = 86_400_000;
/** How old they are unless it is said otherwise, and how long they stay yet. */
const AGE = 30 * DAY;
const REPRIEVE = 7 * DAY;

interface Wish {
  readonly before?: string | null | undefined;
  readonly limit: number;
  readonly dry_run: boolean;
}

/** Has the oldest of those that have stopped destroyed in a week, all that are chosen or none; on a dry run only tells which. */
export async function scheduleReviewApps(
  uow: UnitOfWork,
  project: Project,
  { before, limit, dry_run }: Wish,
): Promise<readonly EnvironmentRow[] | Failure<'nothingToGo'>> {
  const chosen = await oldReviewApps(uow, project.id, {
    before: before ?? momentAfter(uow.now, -AGE),
    limit,
  }).execute();
  const protections = await protectionsOfAll(uow, uow.tier, project, chosen);
  const may = await mayDeployToEach(uow, uow.actor, project, protections);
  const kept = chosen.filter((_, at) => !may[at]);
  if (chosen.length === 0 || kept.length > 0) return fail('nothingToGo', { kept: kept.map(environmentShape) });
  if (!dry_run) await destroyLater(uow, chosen, momentAfter(uow.now, REPRIEVE));
  return chosen;
}

/** The oldest that have stopped and are not to go yet. index: environments_review_apps */
export function oldReviewApps(
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

/** index: environments primary key */
async function destroyLater(tx: Transaction, rows: readonly EnvironmentRow[], auto_delete_at: string): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx
    .updateTable('environments')
    .set({ auto_delete_at })
    .where(isAmong(tx, sql.ref('id'), ids))
    .execute();
}
