import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { epicInGroupVisibleTo, epicVisibleTo, findEpicsForList } from '#authorization/epics.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds, selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import {
  EPICS,
  findMostSelective,
  type IssuableListScope,
  issuableConditions,
  negatedConditions,
  reactionConditions,
  valueCondition,
} from '../issuables/index.ts';
import type { EpicListRow } from './entities.ts';
import type { epicListParams } from './parameters.ts';

type EpicListInput = ParameterValues<typeof epicListParams>;

/** Returns a page of the epics of a group, its ancestors and descendants that the caller may read. */
export async function findEpicPage(
  db: Reader,
  caller: Caller,
  group: Group,
  filter: EpicListInput,
  page: OffsetRequest,
): Promise<Page<EpicListRow>> {
  const scope: IssuableListScope = { tables: EPICS, project: null };
  const conditions = [
    ...issuableConditions(db, scope, filter),
    ...negatedConditions(db, scope, filter.not ?? {}),
    ...reactionConditions(db, scope, caller, filter),
    ...(filter.confidential == null ? [] : [valueCondition(db, scope, 'confidential', filter.confidential)]),
  ];
  const mostSelective = await findMostSelective(db, conditions);
  const visibleEpics = await selectVisibleEpics(db, caller, group, filter, mostSelective !== null);
  const candidateEpics =
    mostSelective?.ids === undefined
      ? visibleEpics
      : visibleEpics.where(sql<SqlBool>`epics.id in (${mostSelective.ids})`);
  const query = candidateEpics.where((eb) =>
    eb.and(conditions.filter((condition) => condition !== mostSelective).map(({ predicate }) => predicate)),
  );
  const idPage = await paginate(db, applyOrder(query, filter), page);
  const epics = await findEpicsForList(
    db,
    idPage.items.map(({ id }) => id),
  );
  return { ...idPage, items: epics.map((epic) => ({ ...epic, referenceContext: group.id })) };
}

type EpicIdQuery = SelectQueryBuilder<Schema, 'epics', { id: number }>;

const SORT_COLUMNS = { created_at: 'created_at', updated_at: 'updated_at', title: 'title_key' } as const;

/** Sorts the query. Ties are broken by id, in the same direction. index: epics_by_created_at, epics_by_updated_at, epics_by_title */
function applyOrder(query: EpicIdQuery, { order_by, sort }: EpicListInput): EpicIdQuery {
  return query.orderBy(`epics.${SORT_COLUMNS[order_by]}`, sort).orderBy('epics.id', sort);
}

/**
 * Selects the epics of the groups that the caller may read. With `hasIdCondition`, the caller of this function adds a condition on
 * the id, which is more selective than the group: the query must not use the index by group.
 */
async function selectVisibleEpics(
  db: Reader,
  caller: Caller,
  group: Group,
  filter: EpicListInput,
  hasIdCondition: boolean,
): Promise<EpicIdQuery> {
  const epics = db.selectFrom('epics').select('epics.id');
  // The unary plus keeps the query planner from using an index by group.
  const groupId = hasIdCondition ? sql<number>`+epics.group_id` : sql.ref<number>('epics.group_id');
  const withAncestors = filter.include_ancestor_groups && group.parent_id !== null;
  const withDescendants = filter.include_descendant_groups && (await hasSubgroups(db, group));
  if (!withAncestors && !withDescendants) {
    return epics.where(sql<SqlBool>`${groupId} = ${group.id}`).where(epicInGroupVisibleTo(caller, group));
  }
  const groupIdQueries = [
    ...(withDescendants ? [selectDescendantIds(db, group.id)] : []),
    ...(withAncestors
      ? [selectSelfAndAncestors(db, group.id).select('namespace_closure.ancestor_id as descendant_id')]
      : []),
  ];
  const groupIds = groupIdQueries.length === 2 ? groupIdQueries[0]!.union(groupIdQueries[1]!) : groupIdQueries[0]!;
  const query = epics
    .innerJoin('namespaces', (join) => join.on(sql<SqlBool>`namespaces.id = ${groupId}`))
    .where(sql<SqlBool>`${groupId} in (${groupIds})`)
    .where(epicVisibleTo(caller, db.today));
  // The type of the joined table is dropped: callers use only columns of epics.
  return query as unknown as EpicIdQuery;
}

/** Returns whether the group has a direct child namespace. index: namespaces_by_parent */
function hasSubgroups(db: Reader, { id }: Group): Promise<boolean> {
  return hasRow(db.selectFrom('namespaces').select('id').where('parent_id', '=', id));
}
