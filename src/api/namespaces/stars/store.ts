import { sql } from 'kysely';
import type { UserBasicRow } from '#api/identity/users/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { normalizeAddress } from '#authentication/users/emails.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { isCommonSubstring } from '#database/search/common-substrings.ts';
import {
  containsSubstringUnindexed,
  isTooShortForIndex,
  selectIdsContaining,
} from '#database/search/substring-search.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Queries of stars. The row of the project contains their number, which callers update in the same transaction. */

/** Inserts a star. Returns false if it existed. index: stars_pkey */
export async function insertStar(tx: Transaction, projectId: number, userId: number): Promise<boolean> {
  const addedStar = await tx
    .insertInto('stars')
    .values({ project_id: projectId, user_id: userId, created_at: tx.now })
    .onConflict((conflict) => conflict.columns(['user_id', 'project_id']).doNothing())
    .returning('project_id')
    .executeTakeFirst();
  return addedStar !== undefined;
}

/** Deletes a star. Returns false if it did not exist. index: stars_pkey */
export async function deleteStar(tx: Transaction, projectId: number, userId: number): Promise<boolean> {
  const removedStar = await tx
    .deleteFrom('stars')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .returning('project_id')
    .executeTakeFirst();
  return removedStar !== undefined;
}

/** Deletes at most `limit` stars of a user and updates the counts. Returns the number of deleted stars. index: stars_pkey */
export async function deleteStarBatch(tx: Transaction, userId: number, limit: number): Promise<number> {
  const ownStars = tx.selectFrom('stars').select('project_id').where('user_id', '=', userId).limit(limit);
  const removedStars = await tx
    .deleteFrom('stars')
    .where('user_id', '=', userId)
    .where('project_id', 'in', ownStars)
    .returning('project_id')
    .execute();
  const unstarredProjectIds = removedStars.map(({ project_id }) => project_id);
  await addToStarCounts(tx, unstarredProjectIds, -1);
  return unstarredProjectIds.length;
}

/** Adds `delta` to the star counts of these projects. index: projects primary key */
export async function addToStarCounts(tx: Transaction, projectIds: readonly number[], delta: 1 | -1): Promise<void> {
  if (projectIds.length === 0) return;
  await tx
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '+', delta) }))
    .where(isInIds(tx, sql<number>`projects.id`, projectIds))
    .execute();
}

/** A user with the timestamp of their star. */
export interface StarRow extends UserBasicRow {
  readonly starred_since: string;
}

/** Columns of `users` with case-folded names that a search compares. */
const SEARCH_COLUMNS = ['name_key', 'username_key'] as const;

interface StarrerListRequest {
  readonly caller: Caller;
  /** Substring of the name or username, or the whole public e-mail address. */
  readonly search?: string | null | undefined;
  readonly page: OffsetRequest;
}

/**
 * Returns one page of the users who starred a project, newest star first. Only the user and administrators see a user
 * with a private profile.
 * index: stars_by_project, stars_pkey, users_name_key_username_key_trigrams, users_by_public_email
 */
export async function listStarrers(
  db: Reader,
  projectId: number,
  { caller, search, page }: StarrerListRequest,
): Promise<Page<StarRow>> {
  const stars = db
    .selectFrom('stars')
    .innerJoin('users', 'users.id', 'stars.user_id')
    // One statement with a join, because a user deleted between two statements would be missing in the second result.
    .select(['users.id', 'users.username', 'users.name', 'users.public_email', 'users.state', 'users.locked_until'])
    .select('stars.created_at as starred_since')
    .where('stars.project_id', '=', projectId)
    .where('users.deletion_scheduled_at', 'is', null)
    .orderBy('stars.created_at', 'desc')
    .orderBy('stars.user_id', 'desc');
  // No user has the id 0, which stands for anonymous callers.
  const visibleStars = isAdministrator(caller)
    ? stars
    : stars.where((eb) => eb.or([eb('users.private_profile', '=', false), eb('users.id', '=', caller.user?.id ?? 0)]));
  if (!search) return paginate(db, visibleStars, page);
  const [substring, address] = [foldCase(search), normalizeAddress(search)];
  // If many users match, comparing the starrers in the order of the list fills a page quickly. If few users match, it is faster
  // to look them up first.
  if (isTooShortForIndex(substring) || (await isCommonSubstring(db, 'users', SEARCH_COLUMNS, substring))) {
    const matches = visibleStars.where((eb) =>
      eb.or([containsSubstringUnindexed('users', SEARCH_COLUMNS, substring), eb('users.public_email', '=', address)]),
    );
    return paginate(db, matches, page);
  }
  const userIds = db
    .selectFrom('users')
    .select('users.id')
    .where('users.public_email', '=', address)
    .unionAll(selectIdsContaining(db, 'users', SEARCH_COLUMNS, substring));
  return paginate(db, visibleStars.where('stars.user_id', 'in', userIds), page, 'countInPageQuery');
}
