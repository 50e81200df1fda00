import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { isLive } from '../../../access/live.ts';
import type { Reader, Schema } from '../../../database/database.ts';
import { escapeLike, like } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { keyset, paged } from '../../../database/page.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import type { UserState } from '../../../database/tables/identity.ts';
import type { Page } from '../../../http/endpoint/answers.ts';
import { type KeysetRule, keysetPage, type PageRequest } from '../../../http/lists/pagination.ts';
import { type User, userColumns } from '../../../identity/users.ts';
import type { UserBasicRow, UserWithFacts } from './entities.ts';

export const ORDERS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const;
export type UserOrder = (typeof ORDERS)[number];

/** Newest first unless asked otherwise, then every order in both directions. */
export const KEYSET: KeysetRule = {
  orders: ['id desc', ...ORDERS.flatMap((order) => [`${order} asc`, `${order} desc`] as const)],
  by: 'cursor',
};

/** What a list of users is narrowed to; false and absent keys ask for nothing. */
export interface UserFilter {
  readonly username?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly public_email?: string | null | undefined;
  readonly active?: boolean | null | undefined;
  readonly blocked?: boolean | null | undefined;
  readonly external?: boolean | null | undefined;
  readonly humans?: boolean | null | undefined;
  readonly exclude_external?: boolean | null | undefined;
  readonly exclude_humans?: boolean | null | undefined;
  readonly exclude_active?: boolean | null | undefined;
  readonly exclude_internal?: boolean | null | undefined;
  readonly without_project_bots?: boolean | null | undefined;
  readonly identity?: { readonly provider: string; readonly externUid: string } | undefined;
  readonly admins?: boolean | null | undefined;
  readonly auditors?: boolean | null | undefined;
  readonly two_factor?: string | null | undefined;
  readonly without_projects?: boolean | null | undefined;
  readonly created_after?: string | null | undefined;
  readonly created_before?: string | null | undefined;
  /** Private addresses are searched, blocked and banned users are shown. */
  readonly everything: boolean;
  readonly today: string;
}

export interface UserSorting {
  /** Undefined: exact matches of `search` first, then the newest. */
  readonly orderBy?: UserOrder | undefined;
  readonly sort?: 'asc' | 'desc' | undefined;
}

const SHUT_OUT: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned'];
const SHORTEST_PART = 3;

type Users = SelectQueryBuilder<Schema, 'users', User>;
type Conditions = ExpressionBuilder<Schema, 'users'>;

/** One page of the users that fit. */
export async function listUsers(
  db: Reader,
  filter: UserFilter,
  sorting: UserSorting,
  page: PageRequest,
): Promise<Page<User>> {
  const query = narrowed(db.selectFrom('users').select(userColumns), filter);
  if (page.kind === 'offset') return paged(db, sorted(query, filter, sorting), page);
  const { sort: direction, perPage, after } = page;
  const column = page.orderBy as UserOrder;
  // index: users primary key, users_by_name, users_by_username, users_by_created_at, users_by_updated_at
  const rows = await keyset(query, `users.${column}` as const, 'users.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return keysetPage(page, rows.items, KEYSET, (user) => user[column]);
}

function sorted(query: Users, { search }: UserFilter, { orderBy, sort }: UserSorting): Users {
  const direction = sort ?? 'desc';
  if (orderBy !== undefined && orderBy !== 'id') {
    return query.orderBy(`users.${orderBy}`, direction).orderBy('users.id', direction);
  }
  if (orderBy === undefined && sort === undefined && search) {
    return query.orderBy((eb) => exactFirst(eb, search)).orderBy('users.id', 'desc');
  }
  return query.orderBy('users.id', direction);
}

function exactFirst(eb: Conditions, search: string) {
  const key = foldCase(search);
  const exact = eb.or([eb('username_key', '=', key), eb('name_key', '=', key), eb('public_email', '=', search)]);
  return eb.case().when(exact).then(eb.lit(0)).else(eb.lit(1)).end();
}

function narrowed(query: Users, filter: UserFilter): Users {
  let users = query;
  const { username, search, public_email, identity } = filter;
  if (username) users = users.where('username_key', '=', foldCase(username));
  if (search) users = users.where((eb) => matches(eb, search, filter.everything));
  if (public_email) users = users.where('public_email', '=', public_email);
  if (identity) users = users.where((eb) => hasIdentity(eb, identity));
  if (!filter.everything) return byState(users, filter).where('state', 'not in', SHUT_OUT);
  return forAdministrators(byState(users, filter), filter);
}

function matches(eb: Conditions, search: string, everything: boolean) {
  const key = foldCase(search);
  const part = `%${escapeLike(key)}%`;
  const fits = (column: 'name_key' | 'username_key') =>
    [...key].length < SHORTEST_PART ? eb(column, '=', key) : like(eb.ref(column), part);
  return eb.or([
    fits('name_key'),
    fits('username_key'),
    eb('public_email', '=', search),
    ...(everything ? [holdsAddress(eb, key)] : []),
  ]);
}

// index: emails_by_taken_key
function holdsAddress(eb: Conditions, key: string) {
  return eb('users.id', 'in', eb.selectFrom('emails').select('emails.user_id').where('taken_key', '=', key));
}

// index: identities_by_extern_uid
function hasIdentity(eb: Conditions, { provider, externUid }: { provider: string; externUid: string }) {
  const holders = eb.selectFrom('identities').select('identities.user_id').where('provider', '=', provider);
  return eb('users.id', 'in', holders.where('extern_uid', '=', externUid));
}

function byState(query: Users, filter: UserFilter): Users {
  let users = query;
  if (filter.active) users = users.where('state', '=', 'active');
  if (filter.exclude_active) users = users.where('state', '<>', 'active');
  if (filter.blocked) users = users.where('state', 'in', ['blocked', 'ldap_blocked']);
  if (filter.external) users = users.where('external', '=', true);
  if (filter.exclude_external) users = users.where('external', '=', false);
  if (filter.humans) users = users.where('bot', '=', false).where('internal', '=', false);
  if (filter.exclude_humans) users = users.where((eb) => eb.or([eb('bot', '=', true), eb('internal', '=', true)]));
  if (filter.exclude_internal) users = users.where('internal', '=', false);
  if (filter.without_project_bots) {
    users = users.where((eb) => eb.or([eb('bot', '=', false), eb('internal', '=', true)]));
  }
  return users;
}

function forAdministrators(query: Users, filter: UserFilter): Users {
  let users = query;
  if (filter.admins) users = users.where('admin', '=', true);
  if (filter.auditors) users = users.where('auditor', '=', true);
  // Nobody has a second factor.
  if (filter.two_factor === 'enabled') users = users.where('users.id', 'is', null);
  if (filter.without_projects) users = users.where((eb) => eb.not(hasProject(eb, filter.today)));
  if (filter.created_after) users = users.where('created_at', '>=', filter.created_after);
  if (filter.created_before) users = users.where('created_at', '<=', filter.created_before);
  return users;
}

/** Member of a project, of a group with projects below it, or owner of a personal one. */
function hasProject(eb: Conditions, today: string) {
  return eb.or([
    // index: memberships_by_user
    eb.exists(
      eb
        .selectFrom('memberships')
        .select('memberships.id')
        .whereRef('memberships.user_id', '=', 'users.id')
        .where('memberships.source_type', '=', 'project')
        .where(isLive('memberships.expires_at', today)),
    ),
    // index: memberships_by_user, namespace_closure_by_ancestor
    eb.exists(
      eb
        .selectFrom('memberships')
        .innerJoin('namespace_closure', 'namespace_closure.ancestor_id', 'memberships.source_id')
        .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id')
        .select('memberships.id')
        .whereRef('memberships.user_id', '=', 'users.id')
        .where('memberships.source_type', '=', 'group')
        .where(isLive('memberships.expires_at', today)),
    ),
    // index: namespaces_by_owner
    eb.exists(
      eb
        .selectFrom('namespaces')
        .innerJoin('projects', 'projects.namespace_id', 'namespaces.id')
        .select('projects.id')
        .whereRef('namespaces.owner_id', '=', 'users.id'),
    ),
  ]);
}

/** The basic columns of these users, by id; missing ones are left out. For families that embed users. */
export async function usersById(db: Reader, ids: readonly (number | null)[]): Promise<Map<number, UserBasicRow>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const rows = await basicRows(db, wanted);
  return new Map(rows.map((row) => [row.id, row]));
}

// index: users primary key
const basicRows = prepareForIds((db, ids) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'name', 'public_email', 'state', 'locked_until'])
    .where('id', 'in', ids),
);

/** Adds what other tables know of these users, all of them at once. */
export async function withFacts(db: Reader, users: readonly User[]): Promise<UserWithFacts[]> {
  if (users.length === 0) return [];
  const ids = users.map(({ id }) => id);
  const [identities, spaces, creators] = await Promise.all([
    identitiesOf(db, ids),
    personalSpaces(db, ids),
    usersById(
      db,
      users.map(({ created_by_id }) => created_by_id),
    ),
  ]);
  return users.map((user) => ({
    ...user,
    identities: identities.filter(({ user_id }) => user_id === user.id),
    namespace_id: spaces.get(user.id)?.namespace_id ?? null,
    personal_projects: spaces.get(user.id)?.projects ?? 0,
    created_by: creators.get(user.created_by_id ?? 0) ?? null,
  }));
}

// index: identities_by_user
function identitiesOf(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', ids)
    .orderBy('id')
    .execute();
}

/** Personal namespaces with the number of their projects. */
async function personalSpaces(db: Reader, ids: readonly number[]) {
  // index: namespaces_by_owner
  const rows = await db
    .selectFrom('namespaces')
    .leftJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select(['namespaces.owner_id', 'namespaces.id as namespace_id', sql<number>`count(projects.id)`.as('projects')])
    .where('namespaces.owner_id', 'in', ids)
    .groupBy(['namespaces.owner_id', 'namespaces.id'])
    .execute();
  return new Map(rows.map((row) => [row.owner_id as number, row]));
}

/** The highest role that the user has anywhere; 0 for none. */
export async function highestRole(db: Reader, userId: number, today: string): Promise<number> {
  // index: memberships_by_user
  const { role } = await db
    .selectFrom('memberships')
    .select((eb) => eb.fn.max('access_level').as('role'))
    .where('user_id', '=', userId)
    .where(isLive('expires_at', today))
    .executeTakeFirstOrThrow();
  return role ?? 0;
}
