import { type Expression, type ExpressionBuilder, type NotNull, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { groupOfMember, groupVisibleTo, groupWithRole } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo } from '#database/page.ts';
import { escapeLike, like } from '#database/search/substring-search.ts';
import { OWNER } from '#domain/members/roles.ts';
import { groupActive, groupArchived } from '#domain/namespaces/archive-state.ts';
import { findGroup, type Group, groupColumns } from '#domain/namespaces/groups.ts';
import { namespaceHas, ownPathKey } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { GroupListing } from './parameters.ts';

/** The rows behind the lists of groups. */

/** A group as it is shown, but for what comes from above or is the caller's. */
export type GroupRow = Omit<Group, 'role' | 'member_below' | 'archived' | 'marked'>;

/** `kind = 'group'` is written out: only so do the indexes of groups alone serve (groups_by_...). */
function selectGroups(db: Reader) {
  return (
    db
      .selectFrom('namespaces')
      // An outer join, because one that nothing is selected from is left out when rows are only counted.
      .leftJoin('routes', 'routes.namespace_id', 'namespaces.id')
      .select(groupColumns)
      .$narrowType<{ full_path: NotNull; full_name: NotNull }>()
      .where('namespaces.kind', '=', sql.lit('group' as const))
  );
}

type GroupQuery = ReturnType<typeof selectGroups>;

/** index: namespaces primary key */
export async function readGroupRow(db: Reader, id: number): Promise<GroupRow> {
  return selectGroups(db).where('namespaces.id', '=', id).executeTakeFirstOrThrow();
}

/** The group as it is in this act, wherever it is by now; null when it has gone. */
export function groupNow(uow: UnitOfWork, id: number): Promise<Group | null> {
  return findGroup(uow, uow.actor, String(id));
}

export type GroupFilter = Partial<Omit<GroupListing, 'order_by' | 'sort' | 'statistics'>>;
export type GroupOrder = GroupListing['order_by'];

/** Where a list of groups looks. */
export type GroupScope = 'everywhere' | { readonly childrenOf: number } | { readonly below: number };

type Eb = ExpressionBuilder<Schema, 'namespaces'>;

/**
 * The groups that the caller is shown, not ordered yet. `common`: the search's part is looked for in each.
 * index: groups_by_name, groups_by_path, groups_by_id (by the order), groups_by_visibility (anonymous), groups_by_parent
 * (children), namespace_closure_by_ancestor (below), groups_by_storage, namespaces_by_deletion, namespaces_inactive
 */
export function listGroups(
  db: Reader,
  caller: Caller,
  filter: GroupFilter,
  scope: GroupScope,
  common = false,
): GroupQuery {
  let query = selectGroups(db).where((eb) => {
    const inner = eb as unknown as Eb;
    return inner.and([
      shownTo(inner, caller, filter, db.today),
      ...withRoles(inner, caller, filter, db.today),
      ...attributesOf(inner, caller, filter),
    ]);
  });
  const { search, skip_groups: skipped } = filter;
  if (skipped && skipped.length > 0) {
    query = query.where((eb) => eb.not(isAmong(db, eb.ref('namespaces.id'), skipped)));
  }
  if (search) {
    // Everything below a group would be found by the group's path.
    query = query.where(namespaceHas(db, search, { whole: scope === 'everywhere', common }));
  }
  return within(query, scope);
}

/** So few that to look at each costs less than to ask the index of parts, which knows users and projects too. index: groups_by_id */
export async function areFewGroups(db: Reader): Promise<boolean> {
  const groups = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.kind', '=', sql.lit('group' as const));
  return (await countUpTo(db, groups, FEW + 1)) <= FEW;
}

const FEW = 2_000;

function within(query: GroupQuery, scope: GroupScope): GroupQuery {
  if (scope === 'everywhere') return query;
  if ('childrenOf' in scope) return query.where('namespaces.parent_id', '=', scope.childrenOf);
  return query.where('namespaces.id', 'in', (eb) =>
    eb
      .selectFrom('namespace_closure')
      .select('descendant_id')
      .where('ancestor_id', '=', scope.below)
      .where('depth', '>', 0),
  );
}

/**
 * Own groups unless all visible ones are asked for, or those of one visibility; an administrator's are all of them
 * unless he says not.
 */
function shownTo(eb: Eb, caller: Caller, filter: GroupFilter, today: string): Expression<SqlBool> {
  const all = filter.all_available ?? (filter.visibility != null || isAdministrator(caller));
  if (caller.user === null || all) return groupVisibleTo(caller, today)(eb);
  return groupOfMember(caller.user.id, today)(eb);
}

function withRoles(eb: Eb, { user }: Caller, filter: GroupFilter, today: string): Expression<SqlBool>[] {
  const roles = [filter.owned ? OWNER : null, filter.min_access_level].filter((role) => role != null);
  return roles.map((role) => (user === null ? eb.lit(false) : groupWithRole(user.id, role, today)(eb)));
}

function attributesOf(eb: Eb, caller: Caller, filter: GroupFilter): Expression<SqlBool>[] {
  const { visibility, top_level_only: top, archived, active, repository_storage: storage } = filter;
  const { marked_for_deletion_on: marked } = filter;
  return [
    visibility == null ? null : eb('namespaces.visibility', '=', visibility),
    top ? eb('namespaces.parent_id', 'is', null) : null,
    archived == null ? null : groupArchived(archived)(eb),
    active == null ? null : groupActive(active)(eb),
    marked == null ? null : eb('namespaces.marked_for_deletion_on', '=', marked),
    !storage || !isAdministrator(caller) ? null : eb('namespaces.storage', '=', storage),
  ].filter((condition) => condition !== null);
}

const nameKey = sql<string>`namespaces.name_key`;

export function orderGroups(
  query: GroupQuery,
  order: GroupOrder,
  direction: 'asc' | 'desc',
  search?: string | null,
): GroupQuery {
  if (order === 'id') return query.orderBy('namespaces.id', direction);
  const column = order === 'path' ? 'namespaces.path' : 'namespaces.name';
  const alike = order === 'similarity' && search ? query.orderBy(unlikeness(foldCase(search)), direction) : query;
  return alike.orderBy(column, direction).orderBy('namespaces.id', direction);
}

/** The word itself before what begins with it, this before what only has it inside. */
function unlikeness(word: string): Expression<number> {
  const start = `${escapeLike(word)}%`;
  return sql<number>`case when ${nameKey} = ${word} or ${ownPathKey} = ${word} then 0
    when ${like(nameKey, start)} or ${like(ownPathKey, start)} then 1 else 2 end`;
}
