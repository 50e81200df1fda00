import { type Expression, type ExpressionBuilder, type NotNull, type SqlBool, sql } from 'kysely';
import { customAttributeConditions, toCustomAttributeFilter } from '#api/identity/custom-attributes/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { groupVisibleTo, groupWithMember, groupWithRole } from '#authorization/visibility.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo } from '#database/page.ts';
import { escapeLike, like } from '#database/search/substring-search.ts';
import { OWNER } from '#domain/members/roles.ts';
import { groupActiveCondition, groupArchivedCondition } from '#domain/namespaces/archive-state.ts';
import { findGroup, type Group, groupColumns } from '#domain/namespaces/groups.ts';
import { namespaceMatches, ownPathKey } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { GroupListInput } from './parameters.ts';

/** Queries of groups. */

/** A group without inherited and caller-dependent columns. */
export type GroupRow = Omit<Group, 'role' | 'member_below' | 'archived' | 'marked'>;

/** Selects groups. `kind = 'group'` is a literal: the partial indexes of groups (groups_by_...) need it. */
function selectGroups(db: Reader) {
  return (
    db
      .selectFrom('namespaces')
      // Each group has a route, but with an outer join the planner can skip this table in count queries, which select no path.
      .leftJoin('routes', 'routes.namespace_id', 'namespaces.id')
      .select(groupColumns)
      .$narrowType<{ full_path: NotNull; full_name: NotNull }>()
      .where('namespaces.kind', '=', sql.lit('group' as const))
  );
}

type GroupQuery = ReturnType<typeof selectGroups>;

/** Returns the group with this id; throws if it does not exist. index: namespaces primary key */
export async function getGroupRow(db: Reader, id: number): Promise<GroupRow> {
  return selectGroups(db).where('namespaces.id', '=', id).executeTakeFirstOrThrow();
}

/** Reloads the group in this unit of work; null if it was deleted. */
export function reloadGroup(uow: UnitOfWork, id: number): Promise<Group | null> {
  return findGroup(uow, uow.actor, String(id));
}

export type GroupFilter = Partial<Omit<GroupListInput, 'order_by' | 'sort' | 'statistics' | 'with_custom_attributes'>>;
export type GroupOrder = GroupListInput['order_by'];

/** Which part of the hierarchy a list covers. */
export type GroupScope = 'everywhere' | { readonly childrenOf: number } | { readonly descendantsOf: number };

/** The expression builder of conditions on groups. */
type Eb = ExpressionBuilder<Schema, 'namespaces'>;

interface SelectionOptions {
  readonly scope: GroupScope;
  /** Whether to compare each group with the search text, instead of using the substring index. */
  readonly scansGroups: boolean;
}

/**
 * Selects the groups that the caller can see and the filter matches, unordered.
 * index: groups_by_name, groups_by_path, groups_by_id (by the order), groups_by_visibility (anonymous),
 * groups_by_parent (children), namespace_closure_by_ancestor (descendants), groups_by_storage, namespaces_by_deletion,
 * namespaces_inactive
 */
export function selectVisibleGroups(
  db: Reader,
  caller: Caller,
  filter: GroupFilter,
  { scope, scansGroups }: SelectionOptions,
): GroupQuery {
  const attributes = toCustomAttributeFilter(caller, filter.custom_attributes);
  let query = selectGroups(db).where((eb) => {
    const innerEb = eb as unknown as Eb;
    return innerEb.and([
      visibilityCondition(innerEb, caller, filter, db.today),
      ...roleConditions(innerEb, caller, filter, db.today),
      ...attributeConditions(innerEb, caller, filter),
      ...customAttributeConditions(db, 'group', innerEb.ref('namespaces.id'), attributes),
    ]);
  });
  const { search, skip_groups: skippedIds } = filter;
  if (skippedIds && skippedIds.length > 0) {
    query = query.where((eb) => eb.not(isInIds(db, eb.ref('namespaces.id'), skippedIds)));
  }
  if (search) {
    // Subgroups must not match by the path of their parent.
    query = query.where(namespaceMatches(db, search, { matchFullPath: scope === 'everywhere', common: scansGroups }));
  }
  return restrictToScope(query, scope);
}

/**
 * Returns whether the instance has so few groups that comparing each with a search text is cheaper than the substring index, which
 * also contains users and projects.
 * index: groups_by_id
 */
export async function hasFewGroups(db: Reader): Promise<boolean> {
  const groups = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.kind', '=', sql.lit('group' as const));
  return (await countUpTo(db, groups, FEW_GROUPS + 1)) <= FEW_GROUPS;
}

/** Maximum number of groups on an instance that are scanned instead of looked up in the substring index. */
const FEW_GROUPS = 2_000;

/** Restricts the query to a part of the hierarchy. index: groups_by_parent, namespace_closure_by_ancestor */
function restrictToScope(query: GroupQuery, scope: GroupScope): GroupQuery {
  if (scope === 'everywhere') return query;
  if ('childrenOf' in scope) return query.where('namespaces.parent_id', '=', scope.childrenOf);
  return query.where('namespaces.id', 'in', (eb) =>
    eb
      .selectFrom('namespace_closure')
      .select('descendant_id')
      .where('ancestor_id', '=', scope.descendantsOf)
      // Depth 0 is the group itself.
      .where('depth', '>', 0),
  );
}

/**
 * Returns the condition that the caller is a member of the group, or only that the caller can see it, if `all_available` or a
 * visibility is requested. Administrators get all groups by default.
 */
function visibilityCondition(eb: Eb, caller: Caller, filter: GroupFilter, today: string): Expression<SqlBool> {
  const includesAllVisible = filter.all_available ?? (filter.visibility != null || isAdministrator(caller));
  if (caller.user === null || includesAllVisible) return groupVisibleTo(caller, today)(eb);
  return groupWithMember(caller.user.id, today)(eb);
}

/** Returns the conditions that the caller has the requested roles in the group. */
function roleConditions(eb: Eb, { user }: Caller, filter: GroupFilter, today: string): Expression<SqlBool>[] {
  const roles = [filter.owned ? OWNER : null, filter.min_access_level].filter((role) => role != null);
  return roles.map((role) => (user === null ? eb.lit(false) : groupWithRole(user.id, role, today)(eb)));
}

/** Returns the conditions of the filters on columns of the group. */
function attributeConditions(eb: Eb, caller: Caller, filter: GroupFilter): Expression<SqlBool>[] {
  const { visibility, top_level_only: topLevelOnly, archived, active, repository_storage: storage } = filter;
  const { marked_for_deletion_on: markedOn } = filter;
  return [
    visibility == null ? null : eb('namespaces.visibility', '=', visibility),
    topLevelOnly ? eb('namespaces.parent_id', 'is', null) : null,
    archived == null ? null : groupArchivedCondition(archived)(eb),
    active == null ? null : groupActiveCondition(active)(eb),
    markedOn == null ? null : eb('namespaces.marked_for_deletion_on', '=', markedOn),
    !storage || !isAdministrator(caller) ? null : eb('namespaces.storage', '=', storage),
  ].filter((condition) => condition !== null);
}

const nameKey = sql<string>`namespaces.name_key`;

/** Applies the requested order; ties are ordered by id in the same direction. */
export function orderGroups(
  query: GroupQuery,
  order: GroupOrder,
  direction: 'asc' | 'desc',
  search?: string | null,
): GroupQuery {
  if (order === 'id') return query.orderBy('namespaces.id', direction);
  const column = order === 'path' ? 'namespaces.path' : 'namespaces.name';
  const bySimilarity =
    order === 'similarity' && search ? query.orderBy(similarityRank(foldCase(search)), direction) : query;
  return bySimilarity.orderBy(column, direction).orderBy('namespaces.id', direction);
}

/** Ranks exact matches before prefixes, and prefixes before other matches. */
function similarityRank(foldedSearch: string): Expression<number> {
  const prefixPattern = `${escapeLike(foldedSearch)}%`;
  return sql<number>`case when ${nameKey} = ${foldedSearch} or ${ownPathKey} = ${foldedSearch} then 0
    when ${like(nameKey, prefixPattern)} or ${like(ownPathKey, prefixPattern)} then 1 else 2 end`;
}
