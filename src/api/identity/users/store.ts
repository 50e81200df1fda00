import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { normalizeAddress } from '#authentication/users/emails.ts';
import { type Identity, selectUsers, type User, userColumns } from '#authentication/users/users.ts';
import type { Reader, Schema } from '#database/database.ts';
import { existsWithoutJoin, isInIds, isInSubquery } from '#database/dialect.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { type CountStrategy, countUpTo, paginate, paginateAfterRows, paginateByKey } from '#database/page.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import {
  COMMON_THRESHOLD,
  hasManyMatches,
  type IdCondition,
  isCommonSubstring,
} from '#database/search/common-substrings.ts';
import {
  containsSubstringUnindexed,
  isTooShortForIndex,
  selectIdsContaining,
} from '#database/search/substring-search.ts';
import { isActiveMembership } from '#domain/members/roles.ts';
import { type ListPage, type OffsetRequest, type PageRequest, toKeysetPage } from '#http/lists/pagination.ts';
import { customAttributeConditions } from '../custom-attributes/index.ts';
import { USER_KEYSET, type UserListParams, type UserOrderColumn } from './parameters.ts';
import { BLOCKED_STATES } from './states.ts';

/** The filters of a list, as the query needs them. */
interface UserFilter extends UserListParams {
  readonly identity: Identity | undefined;
  /** Whether to search private addresses too, and to list blocked and banned users. */
  readonly forAdministrator: boolean;
}

type UserQuery = SelectQueryBuilder<Schema, 'users', User>;
type UserExpressionBuilder = ExpressionBuilder<Schema, 'users'>;

/** Returns one page of the users that match the filter. */
export async function listUsers(db: Reader, filter: UserFilter, page: PageRequest): Promise<ListPage<User>> {
  const { search } = filter;
  const isCommon = await isCommonSearch(db, search);
  const matchingUsers = applyFilter(db, filter, isCommon);
  const idBound = await findIdCondition(db, filter, page);
  const query = idBound === null ? matchingUsers : matchingUsers.where(idBound(sql.ref<number>('users.id')));
  if (page.kind === 'offset') {
    const chooseCount = (users: UserQuery): CountStrategy | undefined => {
      if (!search) return undefined;
      return isCommon ? createCommonSearchCounter(db, users, { ...filter, search }, idBound) : 'countInPageQuery';
    };
    return paginateByOffset(db, query, filter, page, chooseCount);
  }
  const { sort: direction, perPage, after } = page;
  const column = page.orderBy as UserOrderColumn;
  // index: users primary key, users_by_name, users_by_username, users_by_created_at, users_by_updated_at
  const rows = await paginateByKey(query, `users.${column}` as const, 'users.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return toKeysetPage(page, rows.items, USER_KEYSET, (user) => user[column]);
}

/**
 * Returns a condition on ids for lists by id with a filter on `created_at`, or null if it would not save reads. Without it, a
 * descending scan would first skip all users created after the timestamp, and an ascending scan all users created before it. The
 * bound is worth its own query only if it skips more than half of the users. Ids and timestamps have nearly the same order, so the
 * user with the middle id shows on which side of the half the timestamp is.
 */
async function findIdCondition(db: Reader, filter: UserFilter, page: PageRequest): Promise<IdCondition | null> {
  const { forAdministrator, created_after, created_before } = filter;
  const [order, direction] =
    page.kind === 'keyset' ? [page.orderBy, page.sort] : [filter.order_by ?? 'id', filter.sort ?? 'desc'];
  const timestamp = direction === 'desc' ? created_before : created_after;
  if (!forAdministrator || order !== 'id' || !timestamp) return null;
  // index: users primary key
  const middleUser = await db
    .selectFrom('users')
    .select('created_at')
    .where('id', '>=', (eb) => eb.selectFrom('users').select(sql<number>`max(id) / 2`.as('half')))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  // index: users_by_created_at
  const users = db.selectFrom('users').modifyEnd(LONG_RUNNING);
  // With `id + 0` instead of `id`, the planner uses the index of timestamps instead of scanning in the order of ids.
  if (direction === 'desc') {
    if (middleUser === undefined || timestamp > middleUser.created_at) return null;
    const highest = users.select(sql<number | null>`max(id + 0)`.as('id')).where('created_at', '<=', timestamp);
    const { id: highestId } = await highest.executeTakeFirstOrThrow();
    return (id) => sql<SqlBool>`${id} <= ${highestId ?? 0}`;
  }
  if (middleUser === undefined || timestamp < middleUser.created_at) return null;
  const lowest = users.select(sql<number | null>`min(id + 0)`.as('id')).where('created_at', '>=', timestamp);
  const { id: lowestId } = await lowest.executeTakeFirstOrThrow();
  return (id) => sql<SqlBool>`${id} >= ${lowestId ?? 0}`;
}

/**
 * Returns one page by offset. Without `order_by` and `sort`, exact matches of `search` come first, then the newest users.
 * `chooseCount` returns how the list is counted.
 */
async function paginateByOffset(
  db: Reader,
  query: UserQuery,
  filter: UserFilter,
  page: OffsetRequest,
  chooseCount: (users: UserQuery) => CountStrategy | undefined,
): Promise<ListPage<User>> {
  const { search, order_by, sort } = filter;
  const direction = sort ?? 'desc';
  if (order_by && order_by !== 'id') {
    return paginate(
      db,
      query.orderBy(`users.${order_by}`, direction).orderBy('users.id', direction),
      page,
      chooseCount(query),
    );
  }
  const byId = query.orderBy('users.id', direction);
  if (order_by || sort || !search) return paginate(db, byId, page, chooseCount(byId));
  const exactMatches = await byId
    .where((eb) => isExactMatch(db, eb, search))
    .limit(MAX_EXACT_MATCHES)
    .modifyEnd(LONG_RUNNING)
    .execute();
  if (exactMatches.length === 0) return paginate(db, byId, page, chooseCount(byId));
  const ids = exactMatches.map(({ id }) => id);
  const otherUsers = byId.where((eb) => eb.not(isInIds(db, eb.ref('users.id'), ids)));
  return paginateAfterRows(db, exactMatches, otherUsers, page, chooseCount(otherUsers));
}

/** Maximum number of exact matches that are listed first. */
const MAX_EXACT_MATCHES = 1_000;

// index: users_by_username_key, users_by_name_key, users_by_public_email
function isExactMatch(db: Reader, eb: UserExpressionBuilder, search: string) {
  const key = foldCase(search);
  const selectIdsByValue = (column: 'username_key' | 'name_key' | 'public_email', value: string) =>
    db.selectFrom('users').select('users.id').where(column, '=', value);
  const matchingIds = selectIdsByValue('username_key', key)
    .unionAll(selectIdsByValue('name_key', key))
    .unionAll(selectIdsByValue('public_email', normalizeAddress(search)));
  return eb('users.id', 'in', matchingIds);
}

/** Columns with case-folded names that a search compares. */
const SEARCH_COLUMNS = ['name_key', 'username_key'] as const;

/** Returns whether so many names contain the search text that scanning the list in its order is faster than an index. */
async function isCommonSearch(db: Reader, search: string | null | undefined): Promise<boolean> {
  if (!search || isShortSearch(search)) return false;
  return isCommonSubstring(db, 'users', SEARCH_COLUMNS, foldCase(search));
}

/** Returns a function that counts, up to a limit, the users that contain a common search text and match the other filters. */
function createCommonSearchCounter(
  db: Reader,
  query: UserQuery,
  filter: UserFilter & { search: string },
  idBound: IdCondition | null,
) {
  const filteredUsers = applyFilter(db, { ...filter, search: null }, false);
  const hasNoFilter = filteredUsers.toOperationNode().where === undefined;
  const matchesFilter = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().exists(filteredUsers.where('users.id', '=', id));
  return async (limit: number) => {
    const excludedCount = await countExcluded(db, filter);
    const conditions = { matchesFilter: hasNoFilter ? undefined : matchesFilter, excludedCount, idBound };
    const hasManyResults = await hasManyMatches(db, 'users', SEARCH_COLUMNS, foldCase(filter.search), conditions);
    return hasManyResults ? limit : countUpTo(db, query, limit);
  };
}

/** Short texts are matched against whole names only. */
const isShortSearch = (search: string) => isTooShortForIndex(foldCase(search));

/** Selects the users that match the filter, unordered. `isCommon`: the search text is common (`isCommonSearch`). */
function applyFilter(db: Reader, filter: UserFilter, isCommon: boolean): UserQuery {
  let users = db.selectFrom('users').select(userColumns);
  const { search } = filter;
  if (search) users = users.where((eb) => matchesSearch(db, eb, { ...filter, search }, isCommon));
  return toConditions(db, filter).reduce((query, { condition }) => query.where(condition), users);
}

/** A condition of a filter. */
interface UserCondition {
  readonly condition: Expression<SqlBool>;
  /** Indexed conditions that together select all users who do not match `condition`; usually these are few. */
  readonly exclusions?: readonly Expression<SqlBool>[];
}

/** Returns the conditions of a filter, except the search. */
function toConditions(db: Reader, filter: UserFilter): UserCondition[] {
  const { username, public_email, identity, forAdministrator } = filter;
  const eb = expressionBuilder<Schema, 'users'>();
  const conditions: UserCondition[] = toStateConditions(db, eb, filter);
  if (username) conditions.push({ condition: eb('username_key', '=', foldCase(username)) });
  if (public_email) conditions.push({ condition: eb('public_email', '=', normalizeAddress(public_email)) });
  if (identity) conditions.push({ condition: hasIdentity(eb, identity) });
  if (forAdministrator) return [...conditions, ...toAdministratorConditions(db, eb, filter)];
  return [...conditions, { condition: eb('state', 'not in', BLOCKED_STATES), exclusions: [isInactive(eb)] }];
}

/** Returns the condition for the search text. A common text is compared with each user of the list, another one looked up by index. */
function matchesSearch(
  db: Reader,
  eb: UserExpressionBuilder,
  filter: UserFilter & { search: string },
  isCommon: boolean,
) {
  const { search, forAdministrator, without_projects } = filter;
  const key = foldCase(search);
  // index: users_by_public_email, emails_by_taken_key
  let exactMatches = db.selectFrom('users').select('users.id').where('public_email', '=', normalizeAddress(search));
  if (forAdministrator) {
    exactMatches = exactMatches.unionAll(
      db.selectFrom('emails').select('emails.user_id as id').where('taken_key', '=', key),
    );
  }
  if (isCommon) {
    // With a trigram index, PostgreSQL would read users from the whole table, and look up the projects of each.
    const matchesExactly = without_projects
      ? eb('users.id', 'in', exactMatches)
      : isInSubquery(db, eb.ref('users.id'), sql`(${exactMatches})`);
    return eb.or([containsSubstringUnindexed('users', SEARCH_COLUMNS, key), matchesExactly]);
  }
  // index: users_by_name_key, users_by_username_key, users_name_key_username_key_trigrams
  const selectIdsByName = (column: (typeof SEARCH_COLUMNS)[number]) =>
    db.selectFrom('users').select('users.id').where(column, '=', key);
  const matches = isShortSearch(search)
    ? selectIdsByName('name_key').unionAll(selectIdsByName('username_key'))
    : selectIdsContaining(db, 'users', SEARCH_COLUMNS, key);
  return eb('users.id', 'in', exactMatches.unionAll(matches));
}

// index: identities_by_extern_uid
function hasIdentity(eb: UserExpressionBuilder, { provider, externUid }: Identity) {
  const userIds = eb.selectFrom('identities').select('identities.user_id').where('provider', '=', provider);
  return eb('users.id', 'in', userIds.where('extern_uid', '=', externUid));
}

/** Selects the ids of bots and internal users; a user who is both occurs twice. */
function selectNonHumans(db: Reader) {
  const selectIdsByFlag = (column: 'bot' | 'internal') =>
    db.selectFrom('users').select('users.id').where(column, '=', sql.lit(true));
  return selectIdsByFlag('bot').unionAll(selectIdsByFlag('internal'));
}

// index: users_inactive
const isInactive = (eb: UserExpressionBuilder) => eb('state', '<>', sql.lit('active' as const));
// index: users_externals, users_bots, users_internals
const isFlagged = (eb: UserExpressionBuilder, flag: 'external' | 'bot' | 'internal') => eb(flag, '=', sql.lit(true));

/** Returns the conditions of the filters that all callers may use. */
function toStateConditions(db: Reader, eb: UserExpressionBuilder, filter: UserFilter): UserCondition[] {
  const conditions: UserCondition[] = [];
  const [inactive, external] = [isInactive(eb), isFlagged(eb, 'external')];
  const [bot, internal] = [isFlagged(eb, 'bot'), isFlagged(eb, 'internal')];
  if (filter.active) conditions.push({ condition: eb('state', '=', 'active'), exclusions: [inactive] });
  if (filter.exclude_active) conditions.push({ condition: inactive });
  if (filter.blocked)
    conditions.push({ condition: eb.and([inactive, eb('state', 'in', ['blocked', 'ldap_blocked'])]) });
  if (filter.external) conditions.push({ condition: external });
  if (filter.exclude_external) conditions.push({ condition: eb('external', '=', false), exclusions: [external] });
  if (filter.humans) {
    conditions.push({
      condition: eb.and([eb('bot', '=', false), eb('internal', '=', false)]),
      exclusions: [bot, internal],
    });
  }
  // index: users_bots, users_internals
  if (filter.exclude_humans) conditions.push({ condition: eb('users.id', 'in', selectNonHumans(db)) });
  if (filter.exclude_internal) conditions.push({ condition: eb('internal', '=', false), exclusions: [internal] });
  // Internal bots are not project bots, so they stay in the list.
  if (filter.without_project_bots)
    conditions.push({ condition: eb.or([eb('bot', '=', false), eb('internal', '=', true)]), exclusions: [bot] });
  return conditions;
}

/** Returns the conditions of the filters that only administrators may use. */
function toAdministratorConditions(db: Reader, eb: UserExpressionBuilder, filter: UserFilter): UserCondition[] {
  const conditions: Expression<SqlBool>[] = [];
  const { created_after, created_before } = filter;
  if (filter.admins) conditions.push(eb('admin', '=', sql.lit(true)));
  if (filter.auditors) conditions.push(eb('auditor', '=', sql.lit(true)));
  // Two-factor authentication is not supported, so no user has it.
  if (filter.two_factor === 'enabled') conditions.push(eb('users.id', 'is', null));
  if (filter.without_projects) conditions.push(hasNoProjects(db, eb));
  if (created_after) conditions.push(eb('created_at', '>=', created_after));
  if (created_before) conditions.push(eb('created_at', '<=', created_before));
  conditions.push(...customAttributeConditions(db, 'user', eb.ref('users.id'), filter.custom_attributes ?? []));
  return conditions.map((condition) => ({ condition }));
}

/** Returns an upper bound of the number of users who do not match the filter, or null if they may be many. */
async function countExcluded(db: Reader, filter: UserFilter): Promise<number | null> {
  const exclusions = toConditions(db, filter).map((userCondition) => userCondition.exclusions);
  let excludedCount = 0;
  for (const exclusion of exclusions) if (exclusion === undefined) return null;
  for (const condition of exclusions.flatMap((exclusion) => exclusion ?? []))
    excludedCount += await countUpTo(db, db.selectFrom('users').select('users.id').where(condition), COMMON_THRESHOLD);
  return excludedCount < COMMON_THRESHOLD ? excludedCount : null;
}

/**
 * Returns the condition for users without projects: neither in a personal namespace, nor as members of a project or of a group
 * with projects. It is evaluated per user, because PostgreSQL would otherwise join whole tables although a page needs few users.
 */
function hasNoProjects(db: Reader, eb: UserExpressionBuilder): Expression<SqlBool> {
  const hasRows = (rows: Expression<unknown>) => existsWithoutJoin(db, sql`select 1 from ${rows} as matching_rows`);
  // index: namespace_closure_by_ancestor, projects_by_namespace
  const projectsInGroup = expressionBuilder<Schema, 'memberships'>()
    .selectFrom('namespace_closure')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id')
    .select('projects.id')
    .whereRef('namespace_closure.ancestor_id', '=', 'memberships.source_id');
  // index: memberships_by_user
  const memberships = eb
    .selectFrom('memberships')
    .select('memberships.id')
    .whereRef('memberships.user_id', '=', 'users.id')
    .where(isActiveMembership('memberships.expires_at', db.today))
    .where((membershipEb) =>
      membershipEb.or([membershipEb('memberships.source_type', '=', 'project'), hasRows(projectsInGroup)]),
    );
  // index: namespaces_by_owner, projects_by_namespace
  const personalProjects = eb
    .selectFrom('namespaces')
    .innerJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select('projects.id')
    .whereRef('namespaces.owner_id', '=', 'users.id');
  return eb.and([eb.not(hasRows(memberships)), eb.not(hasRows(personalProjects))]);
}

/** The columns of `UserBasic`. */
export type UserBasicRow = Pick<User, 'id' | 'username' | 'name' | 'public_email' | 'state' | 'locked_until'>;

export const userBasicColumns = [
  'users.id',
  'users.username',
  'users.name',
  'users.public_email',
  'users.state',
  'users.locked_until',
] as const;

/** Returns the basic columns of these users by id, for resources that embed users; omits missing users. */
export async function loadUsersById(db: Reader, ids: readonly (number | null)[]): Promise<Map<number, UserBasicRow>> {
  const userIds = [...new Set(ids.filter((id) => id !== null))];
  const rows = await loadBasicRows(db, userIds);
  return new Map(rows.map((row) => [row.id, row]));
}

// index: users primary key
const loadBasicRows = prepareForIds((db, ids) =>
  db.selectFrom('users').select(userBasicColumns).where('users.id', 'in', ids),
);

/** Loads the related rows of these users in one batch. */
export async function loadUserRelations(db: Reader, users: readonly User[]): Promise<UserRelations> {
  const ids = users.map(({ id }) => id);
  const [identities, namespaces, creators] = await Promise.all([
    loadIdentities(db, ids),
    loadPersonalNamespaces(db, ids),
    loadUsersById(
      db,
      users.map(({ created_by_id }) => created_by_id),
    ),
  ]);
  return {
    identities: Map.groupBy(identities, ({ user_id }) => user_id),
    personalNamespaces: new Map(namespaces.map((namespace) => [namespace.owner_id, namespace])),
    creators,
  };
}

/** A user with the counts that their own representation needs. */
export interface CurrentUserRow extends User {
  readonly identity_count: number;
  /** Number of projects in the personal namespace. */
  readonly personal_project_count: number;
}

// index: users primary key, identities_by_user, namespaces_by_owner, projects_by_namespace
const selectCurrentUser = prepare((db, value: Params<{ id: number }>) =>
  selectUsers(db)
    .where('users.id', '=', value('id'))
    .select((eb) => [
      eb
        .selectFrom('identities')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('identities.user_id', '=', 'users.id')
        .$asScalar()
        .$notNull()
        .as('identity_count'),
      eb
        .selectFrom('namespaces')
        .innerJoin('projects', 'projects.namespace_id', 'namespaces.id')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('namespaces.owner_id', '=', 'users.id')
        .$asScalar()
        .$notNull()
        .as('personal_project_count'),
    ]),
);

/** Returns the user with this id for their own representation; null if it does not exist or is being deleted. */
export async function findCurrentUser(db: Reader, id: number): Promise<CurrentUserRow | null> {
  return (await selectCurrentUser.first(db, { id })) ?? null;
}

/** Loads the identities of these users, by id of the user. Runs no statement for users without identities. */
export async function loadIdentitiesOfCurrentUsers(
  db: Reader,
  users: readonly CurrentUserRow[],
): Promise<UserRelations['identities']> {
  const ids = users.filter(({ identity_count }) => identity_count > 0).map(({ id }) => id);
  return ids.length === 0 ? new Map() : Map.groupBy(await loadIdentities(db, ids), ({ user_id }) => user_id);
}

/** Rows related to users: `identities` and `personalNamespaces` by id of the user, `creators` by their own id. */
export interface UserRelations {
  readonly identities: ReadonlyMap<number, readonly { readonly provider: string; readonly extern_uid: string }[]>;
  readonly personalNamespaces: ReadonlyMap<number | null, { readonly namespace_id: number; readonly projects: number }>;
  readonly creators: ReadonlyMap<number, UserBasicRow>;
}

// index: identities_by_user
const loadIdentities = prepareForIds((db, ids) =>
  db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', ids)
    .orderBy('identities.id'),
);

/** Personal namespaces with the number of their projects. index: namespaces_by_owner */
const loadPersonalNamespaces = prepareForIds((db, ids) =>
  db
    .selectFrom('namespaces')
    .leftJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select(['namespaces.owner_id', 'namespaces.id as namespace_id', sql<number>`count(projects.id)`.as('projects')])
    .where('namespaces.owner_id', 'in', ids)
    .groupBy(['namespaces.owner_id', 'namespaces.id']),
);

/** Loads the highest role of each user in any group or project; users without a role are omitted. */
export async function loadHighestRoles(db: Reader, users: readonly User[]): Promise<Map<number, number>> {
  const ids = users.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  // index: memberships_by_user
  const rows = await db
    .selectFrom('memberships')
    .select((eb) => ['user_id', eb.fn.max('access_level').as('role')])
    .where('user_id', 'in', ids)
    .where(isActiveMembership('expires_at', db.today))
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id, role }) => [user_id, role]));
}
