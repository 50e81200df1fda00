import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { loadUsersById, type UserBasicRow } from '#api/identity/users/index.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo, type Page, paginate } from '#database/page.ts';
import { COMMON_THRESHOLD, countMatches, isCommonSubstring } from '#database/search/common-substrings.ts';
import {
  containsSubstringUnindexed,
  isTooShortForIndex,
  selectIdsContaining,
} from '#database/search/substring-search.ts';
import {
  filterSourcesWithMembers,
  isMemberOfAny,
  listMemberSources,
  loadEffectiveMemberships,
  type MemberSource,
  type MemberSourceRef,
  type Membership,
  selectMembersOfAny,
} from '#domain/members/memberships.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { requireRow } from '#runtime/failure.ts';
import type { MemberRow } from './entities.ts';

/** Queries of members. */

interface MemberFilter {
  /** Substring of the name or username. */
  readonly query?: string | null | undefined;
  readonly user_ids?: readonly number[] | null | undefined;
  readonly skip_users?: readonly number[] | null | undefined;
  /** All memberships are `active`. */
  readonly state?: 'active' | 'awaiting' | null | undefined;
}

interface MemberListOptions {
  readonly filter: MemberFilter;
  /** Whether memberships of the groups above count too. */
  readonly includeInherited: boolean;
}

/** Returns the groups and projects whose memberships count: the source, and on request the groups above it. */
const findSources = async (
  db: Reader,
  source: MemberSource,
  includeInherited: boolean,
): Promise<readonly MemberSourceRef[]> => (includeInherited ? listMemberSources(db, source) : [source]);

/** Returns one page of the members, ordered by user. Expired memberships are included until the job removes them. */
export async function listMembers(
  db: Reader,
  source: MemberSource,
  { filter, includeInherited }: MemberListOptions,
  page: OffsetRequest,
): Promise<Page<MemberRow>> {
  const sources = await findSources(db, source, includeInherited);
  const result = await loadMemberIdPage(db, filter.query ? await omitEmptySources(db, sources) : sources, filter, page);
  const ids = result.items.map(({ user_id }) => user_id);
  const memberships = await loadEffectiveMemberships(db, sources, ids);
  // A user who was removed between the two queries is skipped.
  const rows = ids.map((id) => memberships.get(id)).filter((row) => row !== undefined);
  return { ...result, items: await toMemberRows(db, rows) };
}

/** Returns the sources that have members; if none has, the first source, because the query needs at least one. */
async function omitEmptySources(db: Reader, sources: readonly MemberSourceRef[]): Promise<readonly MemberSourceRef[]> {
  const nonEmptySources = await filterSourcesWithMembers(db, sources);
  return nonEmptySources.length > 0 ? nonEmptySources : sources.slice(0, 1);
}

/** Columns of `users` with case-folded names that a search compares. */
const SEARCHED_COLUMNS = ['name_key', 'username_key'] as const;

/** Returns a page of the ids of matching members. index: memberships_by_source */
function loadMemberIdPage(
  db: Reader,
  sources: readonly MemberSourceRef[],
  { query: searchTerm, user_ids, skip_users, state }: MemberFilter,
  page: OffsetRequest,
): Promise<Page<{ user_id: number }>> {
  const matchesFilter = (id: Expression<number>) => {
    const conditions = state === 'awaiting' ? [sql<SqlBool>`1 = 0`] : [];
    if (user_ids && user_ids.length > 0) conditions.push(isInIds(db, id, user_ids));
    if (skip_users && skip_users.length > 0) conditions.push(sql<SqlBool>`not ${isInIds(db, id, skip_users)}`);
    return expressionBuilder<Schema, never>().and(conditions);
  };
  const members = db
    .selectFrom(selectMembersOfAny(db, sources).as('members'))
    .select('members.user_id')
    .where(matchesFilter(sql.ref('members.user_id')))
    .orderBy('members.user_id');
  if (!searchTerm) return paginate(db, members, page);
  const isMatchingMember = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().and([isMemberOfAny(db, sources, id), matchesFilter(id)]);
  return loadMatchingIdPage(db, members, isMatchingMember, { substring: foldCase(searchTerm), page });
}

/**
 * Returns a page of the ids of members whose name or username contains the substring. Few members are compared one by one. Among
 * many members, a rare substring is looked up in the substring index.
 * index: users primary key, users_name_key_username_key_trigrams
 */
async function loadMatchingIdPage(
  db: Reader,
  members: SelectQueryBuilder<Schema & { members: { user_id: number } }, 'members', { user_id: number }>,
  isMember: (id: Expression<number>) => Expression<SqlBool>,
  { substring, page }: { readonly substring: string; readonly page: OffsetRequest },
): Promise<Page<{ user_id: number }>> {
  const scanQuery = members
    .innerJoin('users', 'users.id', 'members.user_id')
    .where(containsSubstringUnindexed('users', SEARCHED_COLUMNS, substring));
  if (isTooShortForIndex(substring) || (await countUpTo(db, members, COMMON_THRESHOLD + 1)) <= COMMON_THRESHOLD)
    return paginate(db, scanQuery, page);
  const total = await countMatches(db, 'users', SEARCHED_COLUMNS, substring, { idCondition: isMember });
  if (total > COMMON_THRESHOLD || (await isCommonSubstring(db, 'users', SEARCHED_COLUMNS, substring))) {
    return paginate(db, scanQuery, page, async () => total);
  }
  // Checks the membership of each matching user, because the few matches are cheaper than sorting all members.
  const id = sql.ref<number>('users.id');
  const indexQuery = db
    .selectFrom('users')
    .select(id.as('user_id'))
    .where(sql<SqlBool>`${id} in (${selectIdsContaining(db, 'users', SEARCHED_COLUMNS, substring)})`)
    .where(isMember(id))
    .orderBy('users.id');
  return paginate(db, indexQuery, page, async () => total);
}

/** Returns one page of the users who are direct or inherited members. */
export async function listMemberUsers(
  db: Reader,
  source: MemberSource,
  filter: MemberFilter,
  page: OffsetRequest,
): Promise<Page<UserBasicRow>> {
  const result = await listMembers(db, source, { filter, includeInherited: true }, page);
  return { ...result, items: result.items.map(({ user }) => user) };
}

/** Returns the direct, or on request inherited, membership of one user, or null if there is none. */
export async function findMember(
  db: Reader,
  source: MemberSource,
  userId: number,
  { includeInherited }: Omit<MemberListOptions, 'filter'>,
): Promise<MemberRow | null> {
  const sources = await findSources(db, source, includeInherited);
  const membership = (await loadEffectiveMemberships(db, sources, [userId])).get(userId);
  return membership === undefined ? null : ((await toMemberRows(db, [membership]))[0] ?? null);
}

/** Adds the users and creators to memberships. */
async function toMemberRows(db: Reader, rows: readonly Membership[]): Promise<MemberRow[]> {
  const creators = await loadUsersById(
    db,
    rows.map(({ created_by_id }) => created_by_id),
  );
  const users = await findUsersById(
    db,
    rows.map(({ user_id }) => user_id),
  );
  // A user who was deleted between the two queries is skipped.
  return rows.flatMap((row) => {
    const user = users.get(row.user_id);
    return user ? [{ ...row, user, created_by: creators.get(row.created_by_id ?? 0) ?? null }] : [];
  });
}

/** Returns a membership that this transaction has stored, with its user. The user cannot be deleted before the transaction ends. */
export async function toMemberRow(tx: Transaction, row: Membership): Promise<MemberRow> {
  return requireRow((await toMemberRows(tx, [row]))[0]);
}

async function findUsersById(db: Reader, ids: readonly number[]): Promise<Map<number, MemberRow['user']>> {
  if (ids.length === 0) return new Map();
  // index: users primary key
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'name', 'public_email', 'state', 'locked_until', 'email'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
