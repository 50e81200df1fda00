import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { keptAddress } from '#authentication/users/emails.ts';
import { type Identity, type User, userColumns } from '#authentication/users/users.ts';
import type { Reader, Schema } from '#database/database.ts';
import { existsForEach, isAmong, isAmongFound } from '#database/dialect.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Count, countUpTo, keyset, paged, pagedAfter } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { COMMON, isCommonIn, type OfId, surelyMany } from '#database/search/common-substrings.ts';
import { containingUnindexed, idsContaining, isShortPart } from '#database/search/substring-search.ts';
import { isLive } from '#domain/members/membership-expiry.ts';
import type { Page } from '#http/lists/page.ts';
import { keysetPage, type OffsetRequest, type PageRequest } from '#http/lists/pagination.ts';
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
  return async (limit: number) => {
    const unfit = await mostUnfit(db, filter);
    const besides = { fits: isAll ? undefined : fits, unfit, within };
    const many = await surelyMany(db, 'users', SEARCHED, foldCase(filter.search), besides);
    return many ? limit : countUpTo(db, query, limit);
  };
}

/** Names are looked for whole then. */
const isShort = (search: string) => isShortPart(foldCase(search));

function narrowed(db: Reader, filter: UserFilter, common: boolean): Users {
  let users = db.selectFrom('users').select(userColumns);
  const { search } = filter;
  if (search) users = users.where((eb) => matches(db, eb, { ...filter, search }, common));
  return asked(db, filter).reduce((narrower, { fits }) => narrower.where(fits), users);
}

/** Something that a filter asks of a user. */
interface Asked {
  readonly fits: Expression<SqlBool>;
  /** Few users, whom indexes tell without reading them: all who do not fit are among them. */
  readonly unfit?: readonly Expression<SqlBool>[];
}

/** All that a filter asks besides a search. */
function asked(db: Reader, filter: UserFilter): Asked[] {
  const { username, public_email, identity, everything } = filter;
  const eb = expressionBuilder<Schema, 'users'>();
  const all: Asked[] = byState(db, eb, filter);
  if (username) all.push({ fits: eb('username_key', '=', foldCase(username)) });
  if (public_email) all.push({ fits: eb('public_email', '=', keptAddress(public_email)) });
  if (identity) all.push({ fits: hasIdentity(eb, identity) });
  if (everything) return [...all, ...forAdministrators(db, eb, filter)];
  return [...all, { fits: eb('state', 'not in', SHUT_OUT), unfit: [isInactive(eb)] }];
}

/** A common part is looked for in each user, in the list's order; of any other the indexes tell all users. */
function matches(db: Reader, eb: Conditions, filter: UserFilter & { search: string }, common: boolean) {
  const { search, everything, without_projects } = filter;
  const key = foldCase(search);
  // index: users_by_public_email, emails_by_taken_key
  let others = db.selectFrom('users').select('users.id').where('public_email', '=', keptAddress(search));
  if (everything) {
    others = others.unionAll(db.selectFrom('emails').select('emails.user_id as id').where('taken_key', '=', key));
  }
  if (common) {
    // Gathered by its trigrams users come from all over PostgreSQL's table, and with each what tells of his projects.
    const isOther = without_projects
      ? eb('users.id', 'in', others)
      : isAmongFound(db, eb.ref('users.id'), sql`(${others})`);
    return eb.or([containingUnindexed('users', SEARCHED, key), isOther]);
  }
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

// index: users_inactive
const isInactive = (eb: Conditions) => eb('state', '<>', sql.lit('active' as const));
// index: users_externals, users_bots, users_internals
const isFlagged = (eb: Conditions, flag: 'external' | 'bot' | 'internal') => eb(flag, '=', sql.lit(true));

function byState(db: Reader, eb: Conditions, filter: UserFilter): Asked[] {
  const all: Asked[] = [];
  const [inactive, external] = [isInactive(eb), isFlagged(eb, 'external')];
  const [bot, internal] = [isFlagged(eb, 'bot'), isFlagged(eb, 'internal')];
  if (filter.active) all.push({ fits: eb('state', '=', 'active'), unfit: [inactive] });
  if (filter.exclude_active) all.push({ fits: inactive });
  if (filter.blocked) all.push({ fits: eb.and([inactive, eb('state', 'in', ['blocked', 'ldap_blocked'])]) });
  if (filter.external) all.push({ fits: external });
  if (filter.exclude_external) all.push({ fits: eb('external', '=', false), unfit: [external] });
  if (filter.humans) {
    all.push({ fits: eb.and([eb('bot', '=', false), eb('internal', '=', false)]), unfit: [bot, internal] });
  }
  // index: users_bots, users_internals
  if (filter.exclude_humans) all.push({ fits: eb('users.id', 'in', inhuman(db)) });
  if (filter.exclude_internal) all.push({ fits: eb('internal', '=', false), unfit: [internal] });
  if (filter.without_project_bots) {
    all.push({ fits: eb.or([eb('bot', '=', false), eb('internal', '=', true)]), unfit: [bot] });
  }
  return all;
}

function forAdministrators(db: Reader, eb: Conditions, filter: UserFilter): Asked[] {
  const all: Expression<SqlBool>[] = [];
  const { created_after, created_before } = filter;
  if (filter.admins) all.push(eb('admin', '=', sql.lit(true)));
  if (filter.auditors) all.push(eb('auditor', '=', sql.lit(true)));
  // Nobody has a second factor.
  if (filter.two_factor === 'enabled') all.push(eb('users.id', 'is', null));
  if (filter.without_projects) all.push(withoutProjects(db, eb));
  if (created_after) all.push(eb('created_at', '>=', created_after));
  if (created_before) all.push(eb('created_at', '<=', created_before));
  return all.map((fits) => ({ fits }));
}

/** How many users do not fit at most; null: they may be many. */
async function mostUnfit(db: Reader, filter: UserFilter): Promise<number | null> {
  const unfit = asked(db, filter).map((one) => one.unfit);
  let most = 0;
  for (const some of unfit) if (some === undefined) return null;
  for (const few of unfit.flatMap((some) => some ?? [])) {
    most += await countUpTo(db, db.selectFrom('users').select('users.id').where(few), COMMON);
  }
  return most < COMMON ? most : null;
}

/**
 * Neither member of a project, nor of a group with projects below it, nor owner of a personal one. Asked of one user after
 * another: PostgreSQL would make joins of whole tables, while a page needs some users only.
 */
function withoutProjects(db: Reader, eb: Conditions): Expression<SqlBool> {
  const areThere = (rows: Expression<unknown>) => existsForEach(db, sql`select 1 from ${rows} as found`);
  // index: namespace_closure_by_ancestor, projects_by_namespace
  const below = expressionBuilder<Schema, 'memberships'>()
    .selectFrom('namespace_closure')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id')
    .select('projects.id')
    .whereRef('namespace_closure.ancestor_id', '=', 'memberships.source_id');
  // index: memberships_by_user
  const memberships = eb
    .selectFrom('memberships')
    .select('memberships.id')
    .whereRef('memberships.user_id', '=', 'users.id')
    .where(isLive('memberships.expires_at', db.today))
    .where((of) => of.or([of('memberships.source_type', '=', 'project'), areThere(below)]));
  // index: namespaces_by_owner, projects_by_namespace
  const personal = eb
    .selectFrom('namespaces')
    .innerJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select('projects.id')
    .whereRef('namespaces.owner_id', '=', 'users.id');
  return eb.and([eb.not(areThere(memberships)), eb.not(areThere(personal))]);
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
