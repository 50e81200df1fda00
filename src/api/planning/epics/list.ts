import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { epicOfGroupVisibleTo, epicVisibleTo, findListedEpics } from '#authorization/epics.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Page, paged } from '#database/page.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { itselfAndAbove, namespacesInside } from '#domain/namespaces/hierarchy.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { EPICS, notConditions, type Range, rarest, sharedConditions, valueCondition } from '../issuables/index.ts';
import type { EpicListed } from './entities.ts';
import type { epicListParams } from './parameters.ts';

type Wish = ParameterValues<typeof epicListParams>;

/** One page of the epics of a group, and of those above and below it, that the caller may read. */
export async function listEpics(
  db: Reader,
  caller: Caller,
  group: Group,
  wish: Wish,
  page: OffsetRequest,
): Promise<Page<EpicListed>> {
  const range: Range = { kind: EPICS, project: null };
  const conditions = [
    ...sharedConditions(db, range, wish),
    ...notConditions(db, range, wish.not ?? {}),
    ...(wish.confidential == null ? [] : [valueCondition(range, 'confidential', wish.confidential)]),
  ];
  const few = await rarest(db, conditions);
  const all = await placed(db, caller, group, wish, few !== null);
  const narrowed = few?.ids === undefined ? all : all.where(sql<SqlBool>`epics.id in (${few.ids})`);
  const query = narrowed.where((eb) => eb.and(conditions.filter((one) => one !== few).map(({ holds }) => holds)));
  const ids = await paged(db, inOrder(query, wish), page);
  const found = await findListedEpics(
    db,
    ids.items.map(({ id }) => id),
  );
  return { ...ids, items: found.map((epic) => ({ ...epic, seenFrom: group.id })) };
}

type Query = SelectQueryBuilder<Schema, 'epics', { id: number }>;

const COLUMNS = { created_at: 'created_at', updated_at: 'updated_at', title: 'title_key' } as const;

/** Ties are broken by id, in the same direction. index: epics_by_created_at, epics_by_updated_at, epics_by_title */
function inOrder(query: Query, { order_by, sort }: Wish): Query {
  return query.orderBy(`epics.${COLUMNS[order_by]}`, sort).orderBy('epics.id', sort);
}

/** The epics of the places that the caller sees. `gathered`: they are looked up by their ids, and not by their place. */
async function placed(db: Reader, caller: Caller, group: Group, wish: Wish, gathered: boolean): Promise<Query> {
  const epics = db.selectFrom('epics').select('epics.id');
  // The sign changes nothing but the plan.
  const groupId = gathered ? sql<number>`+epics.group_id` : sql.ref<number>('epics.group_id');
  const above = wish.include_ancestor_groups && group.parent_id !== null;
  const below = wish.include_descendant_groups && (await hasSubgroups(db, group));
  if (!above && !below) {
    return epics.where(sql<SqlBool>`${groupId} = ${group.id}`).where(epicOfGroupVisibleTo(caller, group));
  }
  const ids = [
    ...(below ? [namespacesInside(db, group.id)] : []),
    ...(above ? [itselfAndAbove(db, group.id).select('namespace_closure.ancestor_id as descendant_id')] : []),
  ];
  const places = ids.length === 2 ? ids[0]!.union(ids[1]!) : ids[0]!;
  const wide = epics
    .innerJoin('namespaces', (join) => join.on(sql<SqlBool>`namespaces.id = ${groupId}`))
    .where(sql<SqlBool>`${groupId} in (${places})`)
    .where(epicVisibleTo(caller, db.today));
  return wide as unknown as Query;
}

/** index: namespaces_by_parent */
function hasSubgroups(db: Reader, { id }: Group): Promise<boolean> {
  return hasRow(db.selectFrom('namespaces').select('id').where('parent_id', '=', id));
}
