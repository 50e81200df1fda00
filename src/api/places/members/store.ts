import { sql } from 'kysely';
import { effectiveMemberships, type MemberSource, type Membership } from '../../../access/memberships.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { escapeLike, isAmong, like } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { type Page, paged } from '../../../database/page.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';
import { type UserBasicRow, usersById } from '../../identity/users/index.ts';
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

const columns = [
  'memberships.id',
  'memberships.user_id',
  'memberships.source_type',
  'memberships.source_id',
  'memberships.access_level',
  'memberships.expires_at',
  'memberships.created_by_id',
  'memberships.created_at',
  'memberships.updated_at',
] as const;

/** Direct members; those whose last day has come are listed until they are removed. index: memberships_by_source */
function directMembers(db: Reader, { type, id }: MemberSource) {
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(columns)
    .where('memberships.source_type', '=', type)
    .where('memberships.source_id', '=', id);
}

/** Members, inherited ones too, each with the highest level. index: memberships_by_source, namespace_closure_pkey */
function allMembers(db: Reader, source: MemberSource) {
  return effectiveMemberships(db, source).innerJoin('users', 'users.id', 'memberships.user_id').select(columns);
}

/** The two queries have the same tables and columns under the same names. */
type MemberQuery = ReturnType<typeof directMembers>;

function membersOf(db: Reader, source: MemberSource, inherited: boolean): MemberQuery {
  return inherited ? (allMembers(db, source) as unknown as MemberQuery) : directMembers(db, source);
}

function filtered(db: Reader, query: MemberQuery, filter: MemberFilter): MemberQuery {
  const { query: words, user_ids, skip_users, state } = filter;
  let found = state === 'awaiting' ? query.where((eb) => eb.lit(false)) : query;
  if (words) {
    const pattern = `%${escapeLike(foldCase(words))}%`;
    const [name, username] = [sql<string>`users.name_key`, sql<string>`users.username_key`];
    found = found.where((eb) => eb.or([like(name, pattern), like(username, pattern)]));
  }
  const among = (ids: readonly number[]) => isAmong(db, sql<number>`memberships.user_id`, ids);
  if (user_ids && user_ids.length > 0) found = found.where(among(user_ids));
  if (skip_users && skip_users.length > 0) found = found.where((eb) => eb.not(among(skip_users)));
  return found;
}

interface MemberListing {
  readonly filter: MemberFilter;
  /** Inherited ones too. */
  readonly inherited: boolean;
}

/** One page of the members, by user. */
export async function listMembers(
  db: Reader,
  source: MemberSource,
  { filter, inherited }: MemberListing,
  page: OffsetRequest,
): Promise<Page<MemberRow>> {
  const query = membersOf(db, source, inherited);
  const ordered = filtered(db, query, filter).orderBy('memberships.user_id');
  const found = await paged(db, ordered, page);
  return { ...found, items: await withUsers(db, found.items) };
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
  const rows = await membersOf(db, source, inherited).where('memberships.user_id', '=', userId).execute();
  return (await withUsers(db, rows))[0] ?? null;
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
