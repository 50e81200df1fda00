import { type Expression, expressionBuilder, type NotNull, sql } from 'kysely';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { groupWithMember, groupWithRole, projectVisibleTo } from '#authorization/visibility.ts';
import type { Reader, Schema } from '#database/database.ts';
import { withoutIndex } from '#database/dialect.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo, type Page, paginate } from '#database/page.ts';
import { COMMON_THRESHOLD, hasManyMatches } from '#database/search/common-substrings.ts';
import { ANY_ROLE, isActiveMembership, OWNER } from '#domain/members/roles.ts';
import {
  findMatchingNamespaceIds,
  type NamespaceRow,
  namespaceColumns,
  namespaceMatches,
} from '#domain/namespaces/namespaces.ts';
import { parseIdOrPath } from '#domain/namespaces/routes.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Queries of namespaces. */

/** Selects namespaces with their paths. The planner can drop the outer join in count queries, which select no path. */
function selectNamespaces(db: Reader) {
  return db
    .selectFrom('namespaces')
    .leftJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(namespaceColumns)
    .$narrowType<{ full_path: NotNull }>();
}

type NamespaceQuery = ReturnType<typeof selectNamespaces>;

interface NamespaceFilter {
  readonly search?: string | null | undefined;
  /** Searches the full path instead of its last segment. */
  readonly full_path_search?: boolean | null | undefined;
  readonly owned_only?: boolean | null | undefined;
  readonly top_level_only?: boolean | null | undefined;
}

/**
 * Returns a page of the caller's own namespace and groups, or of all namespaces for administrators, ordered by id.
 * index: namespaces primary key, namespaces_by_owner
 */
export async function loadNamespacePage(
  db: Reader,
  caller: SignedInCaller,
  { search, full_path_search: searchFullPath, owned_only: ownedOnly, top_level_only: topLevelOnly }: NamespaceFilter,
  page: OffsetRequest,
): Promise<Page<NamespaceRow>> {
  let accessibleNamespaces = restrictToAccessible(db, selectNamespaces(db), caller, ownedOnly ? OWNER : ANY_ROLE);
  if (topLevelOnly) accessibleNamespaces = accessibleNamespaces.where('namespaces.parent_id', 'is', null);
  if (!search) return paginate(db, accessibleNamespaces.orderBy('namespaces.id'), page);
  // The namespaces of one user are so few that comparing each with the search text is faster than the substring index.
  const isRestrictedToOwn = !isAdministrator(caller);
  const searchOptions = { matchFullPath: searchFullPath === true };
  const matchesSearch = isRestrictedToOwn ? null : await findMatchingNamespaceIds(db, search, searchOptions);
  if (matchesSearch !== null) {
    const matchingNamespaces = accessibleNamespaces.where(matchesSearch(sql.ref<number>('namespaces.id')));
    return paginate(db, matchingNamespaces.orderBy('namespaces.id'), page, 'countInPageQuery');
  }
  const query = accessibleNamespaces.where(namespaceMatches(db, search, { ...searchOptions, common: true }));
  const countMatches =
    isRestrictedToOwn || ownedOnly
      ? undefined
      : createCommonTermCounter(db, accessibleNamespaces, query, { search, topLevelOnly: topLevelOnly === true });
  return paginate(db, query.orderBy('namespaces.id'), page, countMatches);
}

/**
 * Returns a function that counts the namespaces with a common search term up to a limit. If very many names match, the index of
 * names is sufficient; otherwise the function counts the rows of `query`.
 */
function createCommonTermCounter(
  db: Reader,
  accessibleNamespaces: NamespaceQuery,
  query: NamespaceQuery,
  { search, topLevelOnly }: { search: string; topLevelOnly: boolean },
) {
  const isAccessible = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().exists(accessibleNamespaces.where('namespaces.id', '=', id));
  return async (limit: number) => {
    const options = { matchesFilter: isAccessible, excludedCount: topLevelOnly ? await countNestedNamespaces(db) : 0 };
    return (await hasManyMatches(db, 'namespaces', 'name_key', foldCase(search), options))
      ? limit
      : countUpTo(db, query, limit);
  };
}

/** Counts namespaces with a parent; null if there are very many. index: namespaces_by_parent */
async function countNestedNamespaces(db: Reader): Promise<number | null> {
  // Namespaces at the top level have a null `parent_id`, which `> 0` excludes.
  const subgroups = db.selectFrom('namespaces').select('namespaces.id').where('parent_id', '>', 0);
  const count = await countUpTo(db, subgroups, COMMON_THRESHOLD);
  return count < COMMON_THRESHOLD ? count : null;
}

/**
 * Restricts the query to the caller's own namespace and groups with this role. `ANY_ROLE` does not restrict administrators.
 * index: namespaces_by_owner, memberships_by_user, namespace_closure_by_ancestor, namespace_closure_pkey
 */
function restrictToAccessible(db: Reader, query: NamespaceQuery, caller: SignedInCaller, role: number): NamespaceQuery {
  if (isAdministrator(caller) && role === ANY_ROLE) return query;
  const { id } = caller.user;
  const ownNamespace = db.selectFrom('namespaces').select('namespaces.id').where('namespaces.owner_id', '=', id);
  const groups = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(role === ANY_ROLE ? groupWithMember(id, db.today) : groupWithRole(id, role, db.today))
    // Without this condition, namespaces of projects with a membership would be included.
    .where('namespaces.kind', '=', sql.lit('group' as const));
  return query.where('namespaces.id', 'in', ownNamespace.union(groups));
}

/**
 * Returns the namespace with this id or full path, or null if the caller has no access to it.
 * index: namespaces primary key, routes_by_full_path
 */
export async function findNamespace(db: Reader, caller: SignedInCaller, id: string): Promise<NamespaceRow | null> {
  const idOrPath = parseIdOrPath(id);
  if (idOrPath === null) return null;
  const query = restrictToAccessible(db, selectNamespaces(db), caller, ANY_ROLE);
  const matchingQuery =
    'id' in idOrPath
      ? query.where('namespaces.id', '=', idOrPath.id)
      : query.where('routes.full_path_key', '=', idOrPath.key);
  return (await matchingQuery.executeTakeFirst()) ?? null;
}

/** Returns the case-folded full paths among these that are taken. index: routes_by_full_path */
export async function findTakenPaths(db: Reader, fullPaths: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('routes')
    .select('full_path_key')
    .where('full_path_key', 'in', fullPaths.map(foldCase))
    .execute();
  return new Set(rows.map((row) => row.full_path_key));
}

/**
 * Returns the ids of the groups among these namespaces that the caller owns.
 * index: memberships_by_user, namespace_closure_by_ancestor
 */
export async function findOwnedGroupIds(
  db: Reader,
  caller: Caller,
  rows: readonly NamespaceRow[],
): Promise<ReadonlySet<number>> {
  const ids = rows.filter(({ kind }) => kind === 'group').map(({ id }) => id);
  if (isAdministrator(caller) || ids.length === 0) return new Set(ids);
  if (caller.user === null) return new Set();
  const ownedGroups = await db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', ids)
    .where(groupWithRole(caller.user.id, OWNER, db.today))
    .execute();
  return new Set(ownedGroups.map(({ id }) => id));
}

/** Numbers of projects and members of a namespace, including everything below it. */
export interface NamespaceCounts {
  /** Projects that the caller can see: others must not be revealed by the count. */
  readonly projects: number;
  /** Users with an active membership of the group or of a group below. */
  readonly groupMembers: number;
  /** Users with an active membership of a group or project in the namespace. */
  readonly members: number;
}

/**
 * Returns the counts by namespace id.
 * index: namespace_closure_by_ancestor, projects_by_namespace, memberships_by_source
 */
export async function countNamespaceContents(
  db: Reader,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, NamespaceCounts>> {
  if (ids.length === 0) return new Map();
  const projects = await db
    .selectFrom('namespace_closure as descendants')
    .innerJoin('projects', 'projects.namespace_id', 'descendants.descendant_id')
    .select(['descendants.ancestor_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('descendants.ancestor_id', 'in', ids)
    .where(projectVisibleTo(caller, db.today))
    .groupBy('descendants.ancestor_id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  const groupMembers = await countGroupMembers(db, ids);
  const projectOnlyCounts = await countProjectOnlyMembers(db, ids);
  const projectCounts = new Map(projects.map(({ id, count }) => [id, count]));
  return new Map(
    ids.map((id) => {
      const groupMemberCount = groupMembers.get(id) ?? 0;
      return [
        id,
        {
          projects: projectCounts.get(id) ?? 0,
          groupMembers: groupMemberCount,
          members: groupMemberCount + (projectOnlyCounts.get(id) ?? 0),
        },
      ];
    }),
  );
}

/** Counts users with an active membership of the namespace or of a group inside it. */
async function countGroupMembers(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const groupCounts = await db
    .selectFrom('namespace_closure as descendants')
    .select(['descendants.ancestor_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('descendants.ancestor_id', 'in', ids)
    .groupBy('descendants.ancestor_id')
    .execute();
  // The closure contains each namespace itself, so a count of 1 means no descendants.
  const idsWithDescendants = (hasDescendants: boolean) =>
    groupCounts.filter(({ count }) => count > 1 === hasDescendants).map(({ id }) => id);
  return new Map([
    ...(await countMembersOfLeafNamespaces(db, idsWithDescendants(false))),
    ...(await countMembersOfNestedNamespaces(db, idsWithDescendants(true))),
  ]);
}

/**
 * Counts the members of groups without subgroups: all memberships minus the few expired ones, because a user has only one membership
 * of a group.
 * index: memberships_by_source, memberships_by_expiry
 */
async function countMembersOfLeafNamespaces(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const membershipCounts = db
    .selectFrom('memberships')
    .select(['source_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('source_id');
  const groupMembershipCounts = membershipCounts.where('source_type', '=', 'group').where('source_id', 'in', ids);
  const groupRows = await groupMembershipCounts.modifyEnd(LONG_RUNNING).execute();
  const counts = new Map(groupRows.map(({ id, count }) => [id, count]));
  // The query starts from the expired memberships of all groups and projects, which are few.
  const expiredMemberships = membershipCounts
    .where('expires_at', '<=', db.today)
    .where(withoutIndex(db, sql<string>`source_type`), '=', 'group')
    .where(withoutIndex(db, sql<number>`source_id`), 'in', ids);
  for (const { id, count } of await expiredMemberships.execute()) counts.set(id, (counts.get(id) ?? 0) - count);
  return counts;
}

/** Counts members of groups with subgroups. A user with several memberships counts once. */
async function countMembersOfNestedNamespaces(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom(selectGroupMembers(db, ids).as('group_members'))
    .select(['group_members.id', (eb) => eb.fn.count<number>('group_members.user_id').distinct().as('count')])
    .groupBy('group_members.id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Counts, per namespace, the users with an active membership of a project inside it but of none of its groups. */
async function countProjectOnlyMembers(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom(selectProjectMembers(db, ids).as('members'))
    .select(['members.id', (eb) => eb.fn.count<number>('members.user_id').distinct().as('count')])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          // index: memberships_by_user, namespace_closure_pkey
          selectFrom('memberships as group_memberships')
            .innerJoin('namespace_closure as ancestors', 'ancestors.descendant_id', 'group_memberships.source_id')
            .select('group_memberships.id')
            .whereRef('group_memberships.user_id', '=', 'members.user_id')
            .where('group_memberships.source_type', '=', 'group')
            .where(isActiveMembership('group_memberships.expires_at', db.today))
            .whereRef('ancestors.ancestor_id', '=', 'members.id'),
        ),
      ),
    )
    .groupBy('members.id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Selects a row for each active membership of these namespaces or of groups below; users can repeat. */
function selectGroupMembers(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespace_closure as descendants')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'descendants.descendant_id').on('memberships.source_type', '=', 'group'),
    )
    .select(['descendants.ancestor_id as id', 'memberships.user_id'])
    .where('descendants.ancestor_id', 'in', ids)
    .where(isActiveMembership('memberships.expires_at', db.today));
}

/** Selects a row for each active membership of a project inside these namespaces; users can repeat. */
function selectProjectMembers(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespace_closure as descendants')
    .innerJoin('projects', 'projects.namespace_id', 'descendants.descendant_id')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'projects.id').on('memberships.source_type', '=', 'project'),
    )
    .select(['descendants.ancestor_id as id', 'memberships.user_id'])
    .where('descendants.ancestor_id', 'in', ids)
    .where(isActiveMembership('memberships.expires_at', db.today));
}
