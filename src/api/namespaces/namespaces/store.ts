import { type Expression, expressionBuilder, type NotNull, sql } from 'kysely';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { groupWithMember, groupWithRole, projectVisibleTo } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema } from '#database/database.ts';
import { withoutIndex } from '#database/dialect.ts';
import { longRunning } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo, type Page, paginate } from '#database/page.ts';
import { COMMON_THRESHOLD, hasManyMatches } from '#database/search/common-substrings.ts';
import { isActiveMembership } from '#domain/members/membership-expiry.ts';
import { OWNER } from '#domain/members/roles.ts';
import {
  findMatchingNamespaceIds,
  type NamespaceRow,
  namespaceColumns,
  namespaceMatches,
} from '#domain/namespaces/namespaces.ts';
import { parseIdOrPath } from '#domain/namespaces/routes.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Queries of namespaces. */

/** Selects namespaces. An outer join: the planner can drop it in count queries, since nothing is selected from it. */
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

/** Returns a page of the caller's own namespace and groups, or of all namespaces for administrators, ordered by id. index: namespaces primary key, namespaces_by_owner */
export async function loadNamespacePage(
  db: Reader,
  caller: SignedInCaller,
  { search, full_path_search: searchFullPath, owned_only: ownedOnly, top_level_only: topLevelOnly }: NamespaceFilter,
  page: OffsetRequest,
): Promise<Page<NamespaceRow>> {
  let accessible = accessibleTo(db, selectNamespaces(db), caller, ownedOnly ? OWNER : 1);
  if (topLevelOnly) accessible = accessible.where('namespaces.parent_id', 'is', null);
  if (!search) return paginate(db, accessible.orderBy('namespaces.id'), page);
  // A caller's own namespaces are few, so no index is needed.
  const requiresOwnership = !isAdministrator(caller);
  const searchOptions = { matchFullPath: searchFullPath === true };
  const matchesSearch = requiresOwnership ? null : await findMatchingNamespaceIds(db, search, searchOptions);
  if (matchesSearch !== null) {
    const matchingNamespaces = accessible.where(matchesSearch(sql.ref<number>('namespaces.id')));
    return paginate(db, matchingNamespaces.orderBy('namespaces.id'), page, 'countInPageQuery');
  }
  const query = accessible.where(namespaceMatches(db, search, { ...searchOptions, common: true }));
  const count =
    requiresOwnership || ownedOnly
      ? undefined
      : countCommon(db, accessible, query, { search, top: topLevelOnly === true });
  return paginate(db, query.orderBy('namespaces.id'), page, count);
}

/** Returns a function that counts namespaces with a common term; mostly the index of names is sufficient. */
function countCommon(
  db: Reader,
  accessible: NamespaceQuery,
  query: NamespaceQuery,
  { search, top }: { search: string; top: boolean },
) {
  const isAccessible = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().exists(accessible.where('namespaces.id', '=', id));
  return async (limit: number) => {
    const options = { matchesFilter: isAccessible, excludedCount: top ? await countNestedNamespaces(db) : 0 };
    return (await hasManyMatches(db, 'namespaces', 'name_key', foldCase(search), options))
      ? limit
      : countUpTo(db, query, limit);
  };
}

/** Counts nested namespaces; null if there are very many. index: namespaces_by_parent */
async function countNestedNamespaces(db: Reader): Promise<number | null> {
  const subgroups = db.selectFrom('namespaces').select('namespaces.id').where('parent_id', '>', 0);
  const count = await countUpTo(db, subgroups, COMMON_THRESHOLD);
  return count < COMMON_THRESHOLD ? count : null;
}

/** index: namespaces_by_owner, memberships_by_user, namespace_closure_by_ancestor, namespace_closure_pkey */
function accessibleTo(db: Reader, query: NamespaceQuery, caller: SignedInCaller, role: number): NamespaceQuery {
  if (isAdministrator(caller) && role === 1) return query;
  const { id } = caller.user;
  const ownNamespace = db.selectFrom('namespaces').select('namespaces.id').where('namespaces.owner_id', '=', id);
  const groups = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(role === 1 ? groupWithMember(id, db.today) : groupWithRole(id, role, db.today))
    // Without this condition, namespaces of projects with a membership would be included.
    .where('namespaces.kind', '=', sql.lit('group' as const));
  return query.where('namespaces.id', 'in', ownNamespace.union(groups));
}

/** Finds a namespace by id or full path, if the caller has access to it. index: namespaces primary key, routes_by_full_path */
export async function findNamespace(db: Reader, caller: SignedInCaller, id: string): Promise<NamespaceRow | null> {
  const idOrPath = parseIdOrPath(id);
  if (idOrPath === null) return null;
  const query = accessibleTo(db, selectNamespaces(db), caller, 1);
  const one =
    'id' in idOrPath
      ? query.where('namespaces.id', '=', idOrPath.id)
      : query.where('routes.full_path_key', '=', idOrPath.key);
  return (await one.executeTakeFirst()) ?? null;
}

/** Returns those of the full paths that are taken. index: routes_by_full_path */
export async function findTakenPaths(db: Reader, fullPaths: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('routes')
    .select('full_path_key')
    .where('full_path_key', 'in', fullPaths.map(foldCase))
    .execute();
  return new Set(rows.map((row) => row.full_path_key));
}

/** Returns the ids of those namespaces that are groups owned by the caller. index: memberships_by_user, namespace_closure_by_ancestor */
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

/** Counts for a namespace with everything below it. */
export interface NamespaceCounts {
  /** Projects that the caller can see: others must not be revealed by the count. */
  readonly projects: number;
  /** Users with an active membership in a group below, or in a group or project below. */
  readonly groupMembers: number;
  readonly members: number;
}

/** index: namespace_closure_by_ancestor, projects_by_namespace, memberships_by_source */
export async function countNamespaceContents(
  db: Reader,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, NamespaceCounts>> {
  if (ids.length === 0) return new Map();
  const projects = await db
    .selectFrom('namespace_closure as down')
    .innerJoin('projects', 'projects.namespace_id', 'down.descendant_id')
    .select(['down.ancestor_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('down.ancestor_id', 'in', ids)
    .where(projectVisibleTo(caller, db.today))
    .groupBy('down.ancestor_id')
    .modifyEnd(longRunning)
    .execute();
  const groupMembers = await countGroupMembers(db, ids);
  const projectOnlyCounts = await countProjectOnlyMembers(db, ids);
  const projectCounts = new Map(projects.map(({ id, count }) => [id, count]));
  return new Map(
    ids.map((id) => {
      const inGroup = groupMembers.get(id) ?? 0;
      return [
        id,
        {
          projects: projectCounts.get(id) ?? 0,
          groupMembers: inGroup,
          members: inGroup + (projectOnlyCounts.get(id) ?? 0),
        },
      ];
    }),
  );
}

/** Counts users with an active membership of the namespace or of a group inside it. */
async function countGroupMembers(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const groupCounts = await db
    .selectFrom('namespace_closure as down')
    .select(['down.ancestor_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('down.ancestor_id', 'in', ids)
    .groupBy('down.ancestor_id')
    .execute();
  const idsWithDescendants = (isMany: boolean) =>
    groupCounts.filter(({ count }) => count > 1 === isMany).map(({ id }) => id);
  return new Map([
    ...(await countMembersOfLeafNamespaces(db, idsWithDescendants(false))),
    ...(await countMembersOfNestedNamespaces(db, idsWithDescendants(true))),
  ]);
}

/** Counts members of groups without subgroups: users are unique there, and few memberships have expired. index: memberships_by_source, memberships_by_expiry */
async function countMembersOfLeafNamespaces(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const all = db
    .selectFrom('memberships')
    .select(['source_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('source_id');
  const ofGroups = all.where('source_type', '=', 'group').where('source_id', 'in', ids);
  const groupRows = await ofGroups.modifyEnd(longRunning).execute();
  const counts = new Map(groupRows.map(({ id, count }) => [id, count]));
  // The query starts from all expired memberships, wherever they are.
  const expiredMemberships = all
    .where('expires_at', '<=', db.today)
    .where(withoutIndex(db, sql<string>`source_type`), '=', 'group')
    .where(withoutIndex(db, sql<number>`source_id`), 'in', ids);
  for (const { id, count } of await expiredMemberships.execute()) counts.set(id, (counts.get(id) ?? 0) - count);
  return counts;
}

async function countMembersOfNestedNamespaces(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom(selectGroupMembers(db, ids).as('inside'))
    .select(['inside.id', (eb) => eb.fn.count<number>('inside.user_id').distinct().as('count')])
    .groupBy('inside.id')
    .modifyEnd(longRunning)
    .execute();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Counts users with an active membership of a project inside, but of no group there. */
async function countProjectOnlyMembers(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom(selectProjectMembers(db, ids).as('members'))
    .select(['members.id', (eb) => eb.fn.count<number>('members.user_id').distinct().as('count')])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          // index: memberships_by_user, namespace_closure_pkey
          selectFrom('memberships as there')
            .innerJoin('namespace_closure as around', 'around.descendant_id', 'there.source_id')
            .select('there.id')
            .whereRef('there.user_id', '=', 'members.user_id')
            .where('there.source_type', '=', 'group')
            .where(isActiveMembership('there.expires_at', db.today))
            .whereRef('around.ancestor_id', '=', 'members.id'),
        ),
      ),
    )
    .groupBy('members.id')
    .modifyEnd(longRunning)
    .execute();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

function selectGroupMembers(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespace_closure as down')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'down.descendant_id').on('memberships.source_type', '=', 'group'),
    )
    .select(['down.ancestor_id as id', 'memberships.user_id'])
    .where('down.ancestor_id', 'in', ids)
    .where(isActiveMembership('memberships.expires_at', db.today));
}

function selectProjectMembers(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespace_closure as down')
    .innerJoin('projects', 'projects.namespace_id', 'down.descendant_id')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'projects.id').on('memberships.source_type', '=', 'project'),
    )
    .select(['down.ancestor_id as id', 'memberships.user_id'])
    .where('down.ancestor_id', 'in', ids)
    .where(isActiveMembership('memberships.expires_at', db.today));
}
