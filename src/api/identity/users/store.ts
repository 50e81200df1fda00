import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { isLive } from '../../../access/live.ts';
import type { Reader, Schema } from '../../../database/database.ts';
import { escapeLike, like } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { keyset, paged } from '../../../database/page.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import type { SourceType } from '../../../database/tables/access.ts';
import type { Page } from '../../../http/lists/page.ts';
import { keysetPage, type PageRequest } from '../../../http/lists/pagination.ts';
import { keptAddress } from '../../../identity/emails.ts';
import { type Identity, type User, userColumns } from '../../../identity/users.ts';
import { type Filters, KEYSET, type UserOrder } from './parameters.ts';
import { SHUT_OUT } from './states.ts';

/** What a list of users is narrowed to and ordered by. */
interface UserFilter extends Filters {
  readonly identity: Identity | undefined;
  /** Private addresses are searched, blocked and banned users are shown. */
  readonly everything: boolean;
}

const SHORTEST_PART = 3;

type Users = SelectQueryBuilder<Schema, 'users', User>;
type Conditions = ExpressionBuilder<Schema, 'users'>;

/** One page of the users that fit. */
export async function listUsers(db: Reader, filter: UserFilter, page: PageRequest): Promise<Page<User>> {
  const query = narrowed(db, filter);
  if (page.kind === 'offset') return paged(db, sorted(query, filter), page);
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

/** Without an order, exact matches of `search` come first, then the newest. */
function sorted(query: Users, { search, order_by, sort }: UserFilter): Users {
  const direction = sort ?? 'desc';
  if (order_by && order_by !== 'id') {
    return query.orderBy(`users.${order_by}`, direction).orderBy('users.id', direction);
  }
  if (!order_by && !sort && search) {
    return query.orderBy((eb) => exactFirst(eb, search)).orderBy('users.id', 'desc');
  }
  return query.orderBy('users.id', direction);
}

function exactFirst(eb: Conditions, search: string) {
  const key = foldCase(search);
  const exact = eb.or([
    eb('username_key', '=', key),
    eb('name_key', '=', key),
    eb('public_email', '=', keptAddress(search)),
  ]);
  return eb.case().when(exact).then(eb.lit(0)).else(eb.lit(1)).end();
}

function narrowed(db: Reader, filter: UserFilter): Users {
  let users = db.selectFrom('users').select(userColumns);
  const { username, search, public_email, identity } = filter;
  if (username) users = users.where('username_key', '=', foldCase(username));
  if (search) users = users.where((eb) => matches(eb, search, filter.everything));
  if (public_email) users = users.where('public_email', '=', keptAddress(public_email));
  if (identity) users = users.where((eb) => hasIdentity(eb, identity));
  if (!filter.everything) return byState(users, filter).where('state', 'not in', SHUT_OUT);
  return forAdministrators(db, byState(users, filter), filter);
}

function matches(eb: Conditions, search: string, everything: boolean) {
  const key = foldCase(search);
  const part = `%${escapeLike(key)}%`;
  const fits = (column: 'name_key' | 'username_key') =>
    [...key].length < SHORTEST_PART ? eb(column, '=', key) : like(eb.ref(column), part);
  return eb.or([
    fits('name_key'),
    fits('username_key'),
    eb('public_email', '=', keptAddress(search)),
    ...(everything ? [holdsAddress(eb, key)] : []),
  ]);
}

// index: emails_by_taken_key
function holdsAddress(eb: Conditions, key: string) {
  return eb('users.id', 'in', eb.selectFrom('emails').select('emails.user_id').where('taken_key', '=', key));
}

// index: identities_by_extern_uid
function hasIdentity(eb: Conditions, { provider, externUid }: Identity) {
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

function forAdministrators(db: Reader, query: Users, filter: UserFilter): Users {
  let users = query;
  if (filter.admins) users = users.where('admin', '=', true);
  if (filter.auditors) users = users.where('auditor', '=', true);
  // Nobody has a second factor.
  if (filter.two_factor === 'enabled') users = users.where('users.id', 'is', null);
  if (filter.without_projects) users = users.where((eb) => eb.not(hasProject(eb, db.today)));
  if (filter.created_after) users = users.where('created_at', '>=', filter.created_after);
  if (filter.created_before) users = users.where('created_at', '<=', filter.created_before);
  return users;
}

/** Member of a project, of a group with projects below it, or owner of a personal one. */
function hasProject(eb: Conditions, today: string) {
  // index: memberships_by_user
  const memberOf = (type: SourceType) =>
    eb
      .selectFrom('memberships')
      .select('memberships.id')
      .whereRef('memberships.user_id', '=', 'users.id')
      .where('memberships.source_type', '=', type)
      .where(isLive('memberships.expires_at', today));
  return eb.or([
    eb.exists(memberOf('project')),
    // index: namespace_closure_by_ancestor
    eb.exists(
      memberOf('group')
        .innerJoin('namespace_closure', 'namespace_closure.ancestor_id', 'memberships.source_id')
        .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id'),
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

/** The columns that the basic form is made of. */
export type UserBasicRow = Pick<User, 'id' | 'username' | 'name' | 'public_email' | 'state' | 'locked_until'>;

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

/** What other tables know of these users, all of them at once. */
export async function factsOf(db: Reader, users: readonly User[]): Promise<UserFacts> {
  const ids = users.map(({ id }) => id);
  const [identities, spaces, creators] = await Promise.all([
    identitiesOf(db, ids),
    personalSpaces(db, ids),
    usersById(
      db,
      users.map(({ created_by_id }) => created_by_id),
    ),
  ]);
  return {
    identities: Map.groupBy(identities, ({ user_id }) => user_id),
    spaces: new Map(spaces.map((space) => [space.owner_id, space])),
    creators,
  };
}

/** By the ids of users; of the creators, by their own. */
export interface UserFacts {
  readonly identities: ReadonlyMap<number, readonly { readonly provider: string; readonly extern_uid: string }[]>;
  readonly spaces: ReadonlyMap<number | null, { readonly namespace_id: number; readonly projects: number }>;
  readonly creators: ReadonlyMap<number, UserBasicRow>;
}

// index: identities_by_user
const identitiesOf = prepareForIds((db, ids) =>
  db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', ids)
    .orderBy('identities.id'),
);

/** Personal namespaces with the number of their projects. index: namespaces_by_owner */
const personalSpaces = prepareForIds((db, ids) =>
  db
    .selectFrom('namespaces')
    .leftJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select(['namespaces.owner_id', 'namespaces.id as namespace_id', sql<number>`count(projects.id)`.as('projects')])
    .where('namespaces.owner_id', 'in', ids)
    .groupBy(['namespaces.owner_id', 'namespaces.id']),
);

/** The highest role that each of these users has anywhere; of those without one, none. */
export async function highestRoles(db: Reader, users: readonly User[]): Promise<Map<number, number>> {
  const ids = users.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  // index: memberships_by_user
  const rows = await db
    .selectFrom('memberships')
    .select((eb) => ['user_id', eb.fn.max('access_level').as('role')])
    .where('user_id', 'in', ids)
    .where(isLive('expires_at', db.today))
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id, role }) => [user_id, role]));
}
