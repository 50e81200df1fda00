import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { isLive } from '../../../access/live.ts';
import type { Reader, Schema } from '../../../database/database.ts';
import { isAmong } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { mayBeLong } from '../../../database/long-statements.ts';
import { type Count, countUpTo, keyset, paged, pagedAfter } from '../../../database/page.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import {
  containingUnindexed,
  idsContaining,
  isCommonIn,
  isShortPart,
  type OfId,
  surelyMany,
} from '../../../database/search.ts';
import type { Page } from '../../../http/lists/page.ts';
import { keysetPage, type OffsetRequest, type PageRequest } from '../../../http/lists/pagination.ts';
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

type Users = SelectQueryBuilder<Schema, 'users', User>;
type Conditions = ExpressionBuilder<Schema, 'users'>;

/** One page of the users that fit. */
export async function listUsers(db: Reader, filter: UserFilter, page: PageRequest): Promise<Page<User>> {
  const { search } = filter;
  const common = await isCommon(db, search);
  const all = narrowed(db, filter, common);
  const within = await boundOf(db, filter, page);
  const query = within === null ? all : all.where(within(sql.ref<number>('users.id')));
  if (page.kind === 'offset') {
    const count = (users: Users): Count | undefined => {
      if (!search) return undefined;
      return common ? countCommon(db, users, { ...filter, search }, within) : 'gathered';
    };
    return offsetPage(db, query, filter, page, count);
  }
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

/**
 * By id a list of those created before a moment would pass over all who were created after it, before it comes to one: it
 * begins at the highest id of theirs. Ids and moments nearly agree, so that of the two ways the one by which fewer are
 * read is told by the moment in the middle. The same upwards.
 */
async function boundOf(db: Reader, filter: UserFilter, page: PageRequest): Promise<OfId | null> {
  const { everything, created_after, created_before } = filter;
  const [order, direction] =
    page.kind === 'keyset' ? [page.orderBy, page.sort] : [filter.order_by ?? 'id', filter.sort ?? 'desc'];
  const moment = direction === 'desc' ? created_before : created_after;
  if (!everything || order !== 'id' || !moment) return null;
  // index: users primary key
  const middle = await db
    .selectFrom('users')
    .select('created_at')
    .where('id', '>=', (eb) => eb.selectFrom('users').select(sql<number>`max(id) / 2`.as('half')))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  // index: users_by_created_at
  const users = db.selectFrom('users').modifyEnd(mayBeLong);
  // The sum changes nothing but the plan: the order of ids is no way to find this one.
  if (direction === 'desc') {
    if (middle === undefined || moment > middle.created_at) return null;
    const highest = users.select(sql<number | null>`max(id + 0)`.as('id')).where('created_at', '<=', moment);
    const { id: last } = await highest.executeTakeFirstOrThrow();
    return (id) => sql<SqlBool>`${id} <= ${last ?? 0}`;
  }
  if (middle === undefined || moment < middle.created_at) return null;
  const lowest = users.select(sql<number | null>`min(id + 0)`.as('id')).where('created_at', '>=', moment);
  const { id: first } = await lowest.executeTakeFirstOrThrow();
  return (id) => sql<SqlBool>`${id} >= ${first ?? 0}`;
}

/** Without an order, exact matches of `search` come first, then the newest. `count` tells how rows of the list are counted. */
async function offsetPage(
  db: Reader,
  query: Users,
  filter: UserFilter,
  page: OffsetRequest,
  count: (users: Users) => Count | undefined,
): Promise<Page<User>> {
  const { search, order_by, sort } = filter;
  const direction = sort ?? 'desc';
  if (order_by && order_by !== 'id') {
    return paged(db, query.orderBy(`users.${order_by}`, direction).orderBy('users.id', direction), page, count(query));
  }
  const byId = query.orderBy('users.id', direction);
  if (order_by || sort || !search) return paged(db, byId, page, count(byId));
  const first = await byId
    .where((eb) => isExactly(db, eb, search))
    .limit(MOST_EXACT)
    .modifyEnd(mayBeLong)
    .execute();
  if (first.length === 0) return paged(db, byId, page, count(byId));
  const ids = first.map(({ id }) => id);
  const others = byId.where((eb) => eb.not(isAmong(db, eb.ref('users.id'), ids)));
  return pagedAfter(db, first, others, page, count(others));
}

/** Users of one name who come first at most. */
const MOST_EXACT = 1_000;

// index: users_by_username_key, users_by_name_key, users_by_public_email
function isExactly(db: Reader, eb: Conditions, search: string) {
  const key = foldCase(search);
  const having = (column: 'username_key' | 'name_key' | 'public_email', value: string) =>
    db.selectFrom('users').select('users.id').where(column, '=', value);
  const all = having('username_key', key)
    .unionAll(having('name_key', key))
    .unionAll(having('public_email', keptAddress(search)));
  return eb('users.id', 'in', all);
}

const SEARCHED = ['name_key', 'username_key'] as const;

/** Whether so many users have it in their names that the list is looked through in its order. */
async function isCommon(db: Reader, search: string | null | undefined): Promise<boolean> {
  if (!search || isShort(search)) return false;
  return isCommonIn(db, 'users', SEARCHED, foldCase(search));
}

/** How many users have a common part and fit besides. */
function countCommon(db: Reader, query: Users, filter: UserFilter & { search: string }, within: OfId | null) {
  const fitting = narrowed(db, { ...filter, search: null }, false);
  const isAll = fitting.toOperationNode().where === undefined;
  const fits = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().exists(fitting.where('users.id', '=', id));
  const besides = { fits: isAll ? undefined : fits, within };
  return async (limit: number) =>
    (await surelyMany(db, 'users', SEARCHED, foldCase(filter.search), besides)) ? limit : countUpTo(db, query, limit);
}

/** Names are looked for whole then. */
const isShort = (search: string) => isShortPart(foldCase(search));

function narrowed(db: Reader, filter: UserFilter, common: boolean): Users {
  let users = db.selectFrom('users').select(userColumns);
  const { username, search, public_email, identity } = filter;
  if (username) users = users.where('username_key', '=', foldCase(username));
  if (search) users = users.where((eb) => matches(db, eb, { ...filter, search }, common));
  if (public_email) users = users.where('public_email', '=', keptAddress(public_email));
  if (identity) users = users.where((eb) => hasIdentity(eb, identity));
  if (!filter.everything) return byState(db, users, filter).where('state', 'not in', SHUT_OUT);
  return forAdministrators(db, byState(db, users, filter), filter);
}

/** A common part is looked for in each user, in the list's order; of any other the indexes tell all users. */
function matches(db: Reader, eb: Conditions, { search, everything }: UserFilter & { search: string }, common: boolean) {
  const key = foldCase(search);
  // index: users_by_public_email, emails_by_taken_key
  let others = db.selectFrom('users').select('users.id').where('public_email', '=', keptAddress(search));
  if (everything) {
    others = others.unionAll(db.selectFrom('emails').select('emails.user_id as id').where('taken_key', '=', key));
  }
  if (common) return eb.or([containingUnindexed('users', SEARCHED, key), eb('users.id', 'in', others)]);
  // index: users_by_name_key, users_by_username_key, users_name_key_username_key_trigrams
  const named = (column: (typeof SEARCHED)[number]) =>
    db.selectFrom('users').select('users.id').where(column, '=', key);
  const found = isShort(search)
    ? named('name_key').unionAll(named('username_key'))
    : idsContaining(db, 'users', SEARCHED, key);
  return eb('users.id', 'in', others.unionAll(found));
}

// index: identities_by_extern_uid
function hasIdentity(eb: Conditions, { provider, externUid }: Identity) {
  const holders = eb.selectFrom('identities').select('identities.user_id').where('provider', '=', provider);
  return eb('users.id', 'in', holders.where('extern_uid', '=', externUid));
}

function inhuman(db: Reader) {
  const being = (column: 'bot' | 'internal') =>
    db.selectFrom('users').select('users.id').where(column, '=', sql.lit(true));
  return being('bot').unionAll(being('internal'));
}

function byState(db: Reader, query: Users, filter: UserFilter): Users {
  let users = query;
  if (filter.active) users = users.where('state', '=', 'active');
  if (filter.exclude_active) users = users.where('state', '<>', sql.lit('active' as const));
  if (filter.blocked)
    users = users.where('state', '<>', sql.lit('active' as const)).where('state', 'in', ['blocked', 'ldap_blocked']);
  if (filter.external) users = users.where('external', '=', sql.lit(true));
  if (filter.exclude_external) users = users.where('external', '=', false);
  if (filter.humans) users = users.where('bot', '=', false).where('internal', '=', false);
  // index: users_bots, users_internals
  if (filter.exclude_humans) users = users.where('users.id', 'in', inhuman(db));
  if (filter.exclude_internal) users = users.where('internal', '=', false);
  if (filter.without_project_bots) {
    users = users.where((eb) => eb.or([eb('bot', '=', false), eb('internal', '=', true)]));
  }
  return users;
}

function forAdministrators(db: Reader, query: Users, filter: UserFilter): Users {
  let users = query;
  if (filter.admins) users = users.where('admin', '=', sql.lit(true));
  if (filter.auditors) users = users.where('auditor', '=', sql.lit(true));
  // Nobody has a second factor.
  if (filter.two_factor === 'enabled') users = users.where('users.id', 'is', null);
  if (filter.without_projects) users = users.where((eb) => withoutProjects(eb, db.today));
  if (filter.created_after) users = users.where('created_at', '>=', filter.created_after);
  if (filter.created_before) users = users.where('created_at', '<=', filter.created_before);
  return users;
}

/**
 * Neither member of a project, nor of a group with projects below it, nor owner of a personal one. Values and not
 * EXISTS: of that PostgreSQL would make joins of whole tables, while a page needs some users only.
 */
function withoutProjects(eb: Conditions, today: string): Expression<SqlBool> {
  // index: namespace_closure_by_ancestor, projects_by_namespace
  const below = expressionBuilder<Schema, 'memberships'>()
    .selectFrom('namespace_closure')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id')
    .select('projects.id')
    .whereRef('namespace_closure.ancestor_id', '=', 'memberships.source_id')
    .limit(1);
  // index: memberships_by_user
  const byMembership = eb
    .selectFrom('memberships')
    .select('memberships.id')
    .whereRef('memberships.user_id', '=', 'users.id')
    .where(isLive('memberships.expires_at', today))
    .where((of) => of.or([of('memberships.source_type', '=', 'project'), of(below, 'is not', null)]))
    .limit(1);
  // index: namespaces_by_owner, projects_by_namespace
  const personal = eb
    .selectFrom('namespaces')
    .innerJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select('projects.id')
    .whereRef('namespaces.owner_id', '=', 'users.id')
    .limit(1);
  return eb.and([eb(byMembership, 'is', null), eb(personal, 'is', null)]);
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
