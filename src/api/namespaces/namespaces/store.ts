import { type Expression, expressionBuilder, type NotNull, sql } from 'kysely';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { groupOfMember, groupWithRole, projectVisibleTo } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema } from '#database/database.ts';
import { notLookedUpBy } from '#database/dialect.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { countUpTo, type Page, paged } from '#database/page.ts';
import { COMMON, surelyMany } from '#database/search/common-substrings.ts';
import { isLive } from '#domain/members/membership-expiry.ts';
import { OWNER } from '#domain/members/roles.ts';
import { type NamespaceRow, namespaceColumns, namespaceHas, namespacesWith } from '#domain/namespaces/namespaces.ts';
import { namedBy } from '#domain/namespaces/routes.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** The rows behind namespaces. */

/** An outer join, because one that nothing is selected from is left out when rows are only counted. */
function selectNamespaces(db: Reader) {
  return db
    .selectFrom('namespaces')
    .leftJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(namespaceColumns)
    .$narrowType<{ full_path: NotNull }>();
}

type Query = ReturnType<typeof selectNamespaces>;

interface NamespaceFilter {
  readonly search?: string | null | undefined;
  /** The search looks at the full path, and not at its last segment alone. */
  readonly full_path_search?: boolean | null | undefined;
  readonly owned_only?: boolean | null | undefined;
  readonly top_level_only?: boolean | null | undefined;
}

/** The caller's own namespace and his groups, all of them for administrators, by id. index: namespaces primary key, namespaces_by_owner */
export async function pageOfNamespaces(
  db: Reader,
  caller: SignedInCaller,
  { search, full_path_search: whole, owned_only: owned, top_level_only: top }: NamespaceFilter,
  page: OffsetRequest,
): Promise<Page<NamespaceRow>> {
  let all = shownTo(db, selectNamespaces(db), caller, owned ? OWNER : 1);
  if (top) all = all.where('namespaces.parent_id', 'is', null);
  if (!search) return paged(db, all.orderBy('namespaces.id'), page);
  // Of his own there are not many, whatever the part is.
  const own = !isAdministrator(caller);
  const looked = { whole: whole === true };
  const having = own ? null : await namespacesWith(db, search, looked);
  if (having !== null) {
    const known = all.where(having(sql.ref<number>('namespaces.id')));
    return paged(db, known.orderBy('namespaces.id'), page, 'gathered');
  }
  const query = all.where(namespaceHas(db, search, { ...looked, common: true }));
  const count = own || owned ? undefined : countCommon(db, all, query, { search, top: top === true });
  return paged(db, query.orderBy('namespaces.id'), page, count);
}

/** How many namespaces have a common part; those that have it in their names tell it mostly. */
function countCommon(db: Reader, all: Query, query: Query, { search, top }: { search: string; top: boolean }) {
  const fits = (id: Expression<number>) =>
    expressionBuilder<Schema, never>().exists(all.where('namespaces.id', '=', id));
  return async (limit: number) => {
    const besides = { fits, unfit: top ? await mostInside(db) : 0 };
    return (await surelyMany(db, 'namespaces', 'name_key', foldCase(search), besides))
      ? limit
      : countUpTo(db, query, limit);
  };
}

/** How many namespaces are inside others; null: very many. index: namespaces_by_parent */
async function mostInside(db: Reader): Promise<number | null> {
  const inside = db.selectFrom('namespaces').select('namespaces.id').where('parent_id', '>', 0);
  const count = await countUpTo(db, inside, COMMON);
  return count < COMMON ? count : null;
}

/** index: namespaces_by_owner, memberships_by_user, namespace_closure_by_ancestor, namespace_closure_pkey */
function shownTo(db: Reader, query: Query, caller: SignedInCaller, role: number): Query {
  if (isAdministrator(caller) && role === 1) return query;
  const { id } = caller.user;
  const own = db.selectFrom('namespaces').select('namespaces.id').where('namespaces.owner_id', '=', id);
  const groups = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(role === 1 ? groupOfMember(id, db.today) : groupWithRole(id, role, db.today))
    // A project's members are above it, so the namespace that it is in would be among the groups.
    .where('namespaces.kind', '=', sql.lit('group' as const));
  return query.where('namespaces.id', 'in', own.union(groups));
}

/** By id or full path, when the caller is shown it. index: namespaces primary key, routes_by_full_path */
export async function findNamespace(db: Reader, caller: SignedInCaller, id: string): Promise<NamespaceRow | null> {
  const named = namedBy(id);
  if (named === null) return null;
  const query = shownTo(db, selectNamespaces(db), caller, 1);
  const one =
    'id' in named ? query.where('namespaces.id', '=', named.id) : query.where('routes.full_path_key', '=', named.key);
  return (await one.executeTakeFirst()) ?? null;
}

/** The full paths of this list that something has already. index: routes_by_full_path */
export async function takenPaths(db: Reader, fullPaths: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('routes')
    .select('full_path_key')
    .where('full_path_key', 'in', fullPaths.map(foldCase))
    .execute();
  return new Set(rows.map((row) => row.full_path_key));
}

/** Of these namespaces the groups that the caller owns. index: memberships_by_user, namespace_closure_by_ancestor */
export async function ownedGroups(
  db: Reader,
  caller: Caller,
  rows: readonly NamespaceRow[],
): Promise<ReadonlySet<number>> {
  const ids = rows.filter(({ kind }) => kind === 'group').map(({ id }) => id);
  if (isAdministrator(caller) || ids.length === 0) return new Set(ids);
  if (caller.user === null) return new Set();
  const owned = await db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', ids)
    .where(groupWithRole(caller.user.id, OWNER, db.today))
    .execute();
  return new Set(owned.map(({ id }) => id));
}

/** What is counted for a namespace and all below it. */
export interface Counts {
  /** Those that the caller sees: whoever knows the namespace by one thing in it alone hears of nothing else. */
  readonly projects: number;
  /** Users with a live membership in a group, and in a group or project. */
  readonly groupMembers: number;
  readonly members: number;
}

/** index: namespace_closure_by_ancestor, projects_by_namespace, memberships_by_source */
export async function countsOf(
  db: Reader,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Counts>> {
  if (ids.length === 0) return new Map();
  const projects = await db
    .selectFrom('namespace_closure as down')
    .innerJoin('projects', 'projects.namespace_id', 'down.descendant_id')
    .select(['down.ancestor_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('down.ancestor_id', 'in', ids)
    .where(projectVisibleTo(caller, db.today))
    .groupBy('down.ancestor_id')
    .modifyEnd(mayBeLong)
    .execute();
  const groupMembers = await membersOfGroups(db, ids);
  const others = await membersOfProjectsAlone(db, ids);
  const counted = new Map(projects.map(({ id, count }) => [id, count]));
  return new Map(
    ids.map((id) => {
      const inGroup = groupMembers.get(id) ?? 0;
      return [id, { projects: counted.get(id) ?? 0, groupMembers: inGroup, members: inGroup + (others.get(id) ?? 0) }];
    }),
  );
}

/** Users who are live members of the namespace or of a group inside it. */
async function membersOfGroups(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const inside = await db
    .selectFrom('namespace_closure as down')
    .select(['down.ancestor_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('down.ancestor_id', 'in', ids)
    .groupBy('down.ancestor_id')
    .execute();
  const holding = (isMany: boolean) => inside.filter(({ count }) => count > 1 === isMany).map(({ id }) => id);
  return new Map([...(await membersOfOne(db, holding(false))), ...(await membersOfMany(db, holding(true)))]);
}

/** Of groups with nothing inside: nobody is a member twice, and few have ended. index: memberships_by_source, memberships_by_expiry */
async function membersOfOne(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const all = db
    .selectFrom('memberships')
    .select(['source_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('source_id');
  const ofGroups = all.where('source_type', '=', 'group').where('source_id', 'in', ids);
  const found = await ofGroups.modifyEnd(mayBeLong).execute();
  const counts = new Map(found.map(({ id, count }) => [id, count]));
  // It begins with those that have ended, wherever they are.
  const ended = all
    .where('expires_at', '<=', db.today)
    .where(notLookedUpBy(db, sql<string>`source_type`), '=', 'group')
    .where(notLookedUpBy(db, sql<number>`source_id`), 'in', ids);
  for (const { id, count } of await ended.execute()) counts.set(id, (counts.get(id) ?? 0) - count);
  return counts;
}

async function membersOfMany(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom(inGroups(db, ids).as('inside'))
    .select(['inside.id', (eb) => eb.fn.count<number>('inside.user_id').distinct().as('count')])
    .groupBy('inside.id')
    .modifyEnd(mayBeLong)
    .execute();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Users who are live members of projects inside, and of no group there. */
async function membersOfProjectsAlone(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom(inProjects(db, ids).as('members'))
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
            .where(isLive('there.expires_at', db.today))
            .whereRef('around.ancestor_id', '=', 'members.id'),
        ),
      ),
    )
    .groupBy('members.id')
    .modifyEnd(mayBeLong)
    .execute();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

function inGroups(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespace_closure as down')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'down.descendant_id').on('memberships.source_type', '=', 'group'),
    )
    .select(['down.ancestor_id as id', 'memberships.user_id'])
    .where('down.ancestor_id', 'in', ids)
    .where(isLive('memberships.expires_at', db.today));
}

function inProjects(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespace_closure as down')
    .innerJoin('projects', 'projects.namespace_id', 'down.descendant_id')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'projects.id').on('memberships.source_type', '=', 'project'),
    )
    .select(['down.ancestor_id as id', 'memberships.user_id'])
    .where('down.ancestor_id', 'in', ids)
    .where(isLive('memberships.expires_at', db.today));
}
