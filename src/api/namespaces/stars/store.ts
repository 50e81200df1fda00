import { sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { StarRow } from './entities.ts';

/** The rows behind stars; a project's own row counts them, in the same transaction. */

/** False: it was there. index: stars_pkey */
export async function addStar(tx: Transaction, projectId: number, userId: number): Promise<boolean> {
  const added = await tx
    .insertInto('stars')
    .values({ project_id: projectId, user_id: userId, created_at: tx.now })
    .onConflict((conflict) => conflict.columns(['user_id', 'project_id']).doNothing())
    .returning('project_id')
    .executeTakeFirst();
  return added !== undefined;
}

/** False: there was none. index: stars_pkey */
export async function removeStar(tx: Transaction, projectId: number, userId: number): Promise<boolean> {
  const removed = await tx
    .deleteFrom('stars')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .returning('project_id')
    .executeTakeFirst();
  return removed !== undefined;
}

/** So many of a user's at most go, and are counted no more; how many it were. index: stars_pkey */
export async function removeSomeStars(tx: Transaction, userId: number, most: number): Promise<number> {
  const own = tx.selectFrom('stars').select('project_id').where('user_id', '=', userId).limit(most);
  const removed = await tx
    .deleteFrom('stars')
    .where('user_id', '=', userId)
    .where('project_id', 'in', own)
    .returning('project_id')
    .execute();
  const starred = removed.map(({ project_id }) => project_id);
  await countStars(tx, starred, -1);
  return starred.length;
}

/** Each of these projects has one more, or one less. index: projects primary key */
export async function countStars(tx: Transaction, projectIds: readonly number[], by: 1 | -1): Promise<void> {
  if (projectIds.length === 0) return;
  await tx
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '+', by) }))
    .where(isAmong(tx, sql<number>`projects.id`, projectIds))
    .execute();
}

/** The newest first; private profiles are for themselves and administrators. index: stars_by_project */
export function listStarrers(
  db: Reader,
  projectId: number,
  caller: Caller,
  page: OffsetRequest,
): Promise<Page<StarRow>> {
  const all = db
    .selectFrom('stars')
    .innerJoin('users', 'users.id', 'stars.user_id')
    // In one statement with their users: whoever ends between two would be missed by the second.
    .select(['users.id', 'users.username', 'users.name', 'users.public_email', 'users.state', 'users.locked_until'])
    .select('stars.created_at as starred_since')
    .where('stars.project_id', '=', projectId)
    .where('users.deletion_scheduled_at', 'is', null);
  const seen = isAdministrator(caller)
    ? all
    : all.where((eb) => eb.or([eb('users.private_profile', '=', false), eb('users.id', '=', caller.user?.id ?? 0)]));
  return paged(db, seen.orderBy('stars.created_at', 'desc').orderBy('stars.user_id', 'desc'), page);
}
