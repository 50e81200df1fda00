import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type UserBasicRow, usersById } from '#api/identity/users/index.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo, type Page, paged } from '#database/page.ts';
import { COMMON, countContaining, isCommonIn } from '#database/search/common-substrings.ts';
import { containingUnindexed, idsContaining, isShortPart } from '#database/search/substring-search.ts';
import {
  effectiveMemberships,
  isMemberOfAny,
  type MemberSource,
  type Membership,
  membersOfAny,
  type Source,
  sourcesOf,
  sourcesWithMembers,
} from '#domain/members/memberships.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { MemberRow } from './entities.ts';

/** The rows behind the lists of members. */

interface MemberFilter {
  /** A part of name or username. */
  readonly query?: string | null | undefined;
  readonly user_ids?: readonly number[] | null | undefined;
  readonly skip_users?: readonly number[] | null | undefined;
  /** All memberships are active: none awaits anything. */
  readonly state?: 'active' | 'awaiting' | null | undefined;
}

interface MemberListing {
  readonly filter: MemberFilter;
  /** Inherited ones too. */
  readonly inherited: boolean;
}

const sourcesIn = async (db: Reader, source: MemberSource, inherited: boolean): Promise<readonly Source[]> =>
  inherited ? sourcesOf(db, source) : [source];

/** One page of the members, by user; those whose last day has come are listed until they are removed. */
export async function listMembers(
  db: Reader,
  source: MemberSource,
  { filter, inherited }: MemberListing,
  page: OffsetRequest,
): Promise<Page<MemberRow>> {
  const sources = await sourcesIn(db, source, inherited);
  const found = await pageOfIds(db, filter.query ? await peopled(db, sources) : sources, filter, page);
  const ids = found.items.map(({ user_id }) => user_id);
  const memberships = await effectiveMemberships(db, sources, ids);
  // Who has been removed between the two queries is no member any more.
  const rows = ids.map((id) => memberships.get(id)).filter((row) => row !== undefined);
  return { ...found, items: await withUsers(db, rows) };
}

/** Of no source with members the first stands for all. */
async function peopled(db: Reader, sources: readonly Source[]): Promise<readonly Source[]> {
  const some = await sourcesWithMembers(db, sources);
  return some.length > 0 ? some : sources.slice(0, 1);
}

const SEARCHED = ['name_key', 'username_key'] as const;

/** The ids of the members that the filter asks for. index: memberships_by_source */
function pageOfIds(
  db: Reader,
  sources: readonly Source[],
  { query: words, user_ids, skip_users, state }: MemberFilter,
  page: OffsetRequest,
): Promise<Page<{ user_id: number }>> {
  const wanted = (id: Expression<number>) => {
    const conditions = state === 'awaiting' ? [sql<SqlBool>`1 = 0`] : [];
    if (user_ids && user_ids.length > 0) conditions.push(isAmong(db, id, user_ids));
    if (skip_users && skip_users.length > 0) conditions.push(sql<SqlBool>`not ${isAmong(db, id, skip_users)}`);
    return expressionBuilder<Schema, never>().and(conditions);
  };
  const members = db
    .selectFrom(membersOfAny(db, sources).as('members'))
    .select('members.user_id')
    .where(wanted(sql.ref('members.user_id')))
    .orderBy('members.user_id');
  if (!words) return paged(db, members, page);
  const areWanted = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().and([isMemberOfAny(db, sources, id), wanted(id)]);
  return pageOfNamed(db, members, areWanted, { part: foldCase(words), page });
}

/**
 * Those of the members who have a part in their names: of a few members each is looked at; of many the index of parts
 * tells how many have it, and who they are where they are few.
 * index: users primary key, users_name_key_username_key_trigrams
 */
async function pageOfNamed(
  db: Reader,
  members: SelectQueryBuilder<Schema & { members: { user_id: number } }, 'members', { user_id: number }>,
  areMembers: (id: Expression<number>) => Expression<SqlBool>,
  { part, page }: { readonly part: string; readonly page: OffsetRequest },
): Promise<Page<{ user_id: number }>> {
  const each = members
    .innerJoin('users', 'users.id', 'members.user_id')
    .where(containingUnindexed('users', SEARCHED, part));
  if (isShortPart(part) || (await countUpTo(db, members, COMMON + 1)) <= COMMON) return paged(db, each, page);
  const total = await countContaining(db, 'users', SEARCHED, part, { ids: areMembers });
  if (total > COMMON || (await isCommonIn(db, 'users', SEARCHED, part))) {
    return paged(db, each, page, async () => total);
  }
  // Of these few each is asked: to order the members first would take longer.
  const id = sql.ref<number>('users.id');
  const named = db
    .selectFrom('users')
    .select(id.as('user_id'))
    .where(sql<SqlBool>`${id} in (${idsContaining(db, 'users', SEARCHED, part)})`)
    .where(areMembers(id))
    .orderBy('users.id');
  return paged(db, named, page, async () => total);
}

/** One page of the users who are members, inherited ones too. */
export async function listMemberUsers(
  db: Reader,
  source: MemberSource,
  filter: MemberFilter,
  page: OffsetRequest,
): Promise<Page<UserBasicRow>> {
  const found = await listMembers(db, source, { filter, inherited: true }, page);
  return { ...found, items: found.items.map(({ user }) => user) };
}

/** The membership, own or inherited, of one user. */
export async function findMember(
  db: Reader,
  source: MemberSource,
  userId: number,
  { inherited }: Omit<MemberListing, 'filter'>,
): Promise<MemberRow | null> {
  const sources = await sourcesIn(db, source, inherited);
  const membership = (await effectiveMemberships(db, sources, [userId])).get(userId);
  return membership === undefined ? null : ((await withUsers(db, [membership]))[0] ?? null);
}

async function withUsers(db: Reader, rows: readonly Membership[]): Promise<MemberRow[]> {
  const creators = await usersById(
    db,
    rows.map(({ created_by_id }) => created_by_id),
  );
  const users = await membersById(
    db,
    rows.map(({ user_id }) => user_id),
  );
  // A user who has been deleted between the two queries is no member any more.
  return rows.flatMap((row) => {
    const user = users.get(row.user_id);
    return user ? [{ ...row, user, created_by: creators.get(row.created_by_id ?? 0) ?? null }] : [];
  });
}

/** A membership with its user, who is there for as long as the transaction that has written it. */
export async function withUser(tx: Transaction, row: Membership): Promise<MemberRow> {
  return (await withUsers(tx, [row]))[0] as MemberRow;
}

async function membersById(db: Reader, ids: readonly number[]): Promise<Map<number, MemberRow['user']>> {
  if (ids.length === 0) return new Map();
  // index: users primary key
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'name', 'public_email', 'state', 'locked_until', 'email'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
