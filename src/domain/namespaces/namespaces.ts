import { type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type ScanResult, scanMatches } from '#database/page.ts';
import { COMMON_THRESHOLD, isCommonSubstring } from '#database/search/common-substrings.ts';
import {
  containsSubstring,
  containsSubstringUnindexed,
  escapeLike,
  isTooShortForIndex,
  like,
  selectIdsContaining,
  selectRowsContaining,
} from '#database/search/substring-search.ts';
import { selectDescendantIds } from './hierarchy.ts';
import { type FullPath, insertRoute } from './routes.ts';

// Reads and creates namespaces, with their routes and their rows in the closure table.

/** A namespace with its full path and, for a personal one, its owner. */
export interface NamespaceRow
  extends Columns<'namespaces', 'id' | 'name' | 'path' | 'kind' | 'parent_id' | 'owner_id'> {
  readonly full_path: string;
}

export const namespaceColumns = [
  'namespaces.id',
  'namespaces.name',
  'namespaces.path',
  'namespaces.kind',
  'routes.full_path',
  'namespaces.parent_id',
  'namespaces.owner_id',
] as const;

/**
 * The last segment of the namespace's full path in lower case. Paths are ASCII (name-validation.ts), so `lower` gives
 * the same result on every engine.
 */
export const ownPathKey = sql<string>`lower(namespaces.path)`;

/**
 * `ownPathKey` as a subquery: with a join, PostgreSQL overestimates the number of routes and would read all namespaces.
 */
const ownPathKeyOfRoute = sql<string>`(select ${ownPathKey} from namespaces where namespaces.id = routes.namespace_id)`;

/**
 * Condition: the route belongs to a namespace. `is true` keeps PostgreSQL from scanning the whole index of namespace ids.
 */
const isNamespaceRoute = sql<SqlBool>`(routes.namespace_id is not null) is true`;

/** Returns whether so many namespaces match the search that a list must be scanned in its sort order. */
export async function isCommonSearchTerm(db: Reader, search: string): Promise<boolean> {
  const foldedSearch = foldCase(search);
  if (isTooShortForIndex(foldedSearch)) return true;
  if (await isCommonSubstring(db, 'namespaces', 'name_key', foldedSearch)) return true;
  return isCommonSubstring(db, 'routes', 'full_path_key', foldedSearch, { rowCondition: isNamespaceRoute });
}

/**
 * Finds all namespaces whose name or path (with `matchFullPath`: full path) contains the text, ignoring case. Returns a
 * function that builds the condition for their ids; null if so many match that a list must be scanned in its sort order.
 * index: namespaces_name_key_trigrams, routes_full_path_key_trigrams
 */
export async function findMatchingNamespaceIds(
  db: Reader,
  search: string,
  { matchFullPath }: { readonly matchFullPath: boolean },
): Promise<ScanResult['buildMatchCondition']> {
  const foldedSearch = foldCase(search);
  if (isTooShortForIndex(foldedSearch) || (await isCommonSubstring(db, 'namespaces', 'name_key', foldedSearch)))
    return null;
  const conditions = matchFullPath
    ? [isNamespaceRoute]
    : [isNamespaceRoute, like(ownPathKeyOfRoute, `%${escapeLike(foldedSearch)}%`)];
  const namespaceId = sql<{ id: number }>`routes.namespace_id as id`;
  const matchingRoutes = selectRowsContaining(db, 'routes', 'full_path_key', foldedSearch, namespaceId, conditions);
  const routeOrNameMatches = sql<{
    id: number;
  }>`(select id from (${matchingRoutes} limit ${sql.lit(COMMON_THRESHOLD + 1)}) as matching_routes
    union ${selectIdsContaining(db, 'namespaces', 'name_key', foldedSearch)})`;
  return (await scanMatches(db, db.selectFrom(routeOrNameMatches.as('matches')).select('matches.id')))
    .buildMatchCondition;
}

/**
 * Condition on namespaces joined with routes: the name or path contains the text, ignoring case (`matchFullPath`: the full path).
 * With `common` (see `isCommonSearchTerm`), each row is compared instead of using the index.
 * index: namespaces_name_key_trigrams, routes_full_path_key_trigrams
 */
export function namespaceMatches(
  db: Reader,
  search: string,
  { matchFullPath, common }: { readonly matchFullPath: boolean; readonly common: boolean },
): RawBuilder<SqlBool> {
  const foldedSearch = foldCase(search);
  const routeCondition = matchFullPath
    ? containsSubstringUnindexed('routes', ['full_path_key'], foldedSearch)
    : like(ownPathKey, `%${escapeLike(foldedSearch)}%`);
  if (common)
    return sql<SqlBool>`(${containsSubstringUnindexed('namespaces', ['name_key'], foldedSearch)} or ${routeCondition})`;
  const routesWithText = db
    .selectFrom('routes')
    .select('routes.namespace_id as id')
    .where(isNamespaceRoute)
    .$narrowType<{ id: NotNull }>()
    .where(containsSubstring(db, 'routes', 'full_path_key', foldedSearch));
  const matchingRoutes = matchFullPath
    ? routesWithText
    : routesWithText.where(like(ownPathKeyOfRoute, `%${escapeLike(foldedSearch)}%`));
  return sql<SqlBool>`namespaces.id in (${matchingRoutes.union(selectIdsContaining(db, 'namespaces', 'name_key', foldedSearch))})`;
}

interface CreateNamespaceInput
  extends Columns<'namespaces', 'kind' | 'owner_id' | 'parent_id' | 'path' | 'name' | 'visibility'> {
  readonly description?: string;
  readonly attributes?: string;
  /** Name of the storage of the group's wiki, set before the wiki exists. */
  readonly storage?: string;
}

/** Creates a namespace with its route and returns its id. Throws the violation of `routes_by_full_path` if the path is taken. */
export async function createNamespace(
  tx: Transaction,
  namespace: CreateNamespaceInput,
  fullPath: FullPath,
): Promise<number> {
  const { id } = await tx
    .insertInto('namespaces')
    .values({
      description: '',
      attributes: '{}',
      ...namespace,
      name_key: foldCase(namespace.name),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { namespace_id: id }, fullPath);
  await insertClosure(tx, id, namespace.parent_id);
  return id;
}

/**
 * Creates the personal namespace of a user, whose path is the username, and returns its id. The namespace is public; each project
 * has its own visibility.
 */
export function createPersonalNamespace(
  tx: Transaction,
  user: { readonly id: number; readonly username: string; readonly name: string },
): Promise<number> {
  const { id, username, name } = user;
  return createNamespace(
    tx,
    { kind: 'user', owner_id: id, parent_id: null, path: username, name, visibility: 'public' },
    { full_path: username, full_name: name },
  );
}

/** Deletes the personal namespace of a user, which must be empty, and frees its path. index: namespaces_by_owner */
export async function deletePersonalNamespace(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('namespaces').where('owner_id', '=', userId).execute();
}

/** Inserts the rows of a new namespace into the closure table. */
async function insertClosure(tx: Transaction, id: number, parentId: number | null): Promise<void> {
  await tx.insertInto('namespace_closure').values({ ancestor_id: id, descendant_id: id, depth: 0 }).execute();
  if (parentId === null) return;
  await tx
    .insertInto('namespace_closure')
    .columns(['ancestor_id', 'descendant_id', 'depth'])
    .expression((eb) =>
      eb
        .selectFrom('namespace_closure')
        .select((row) => ['ancestor_id', row.val(id).as('descendant_id'), row('depth', '+', 1).as('depth')])
        .where('descendant_id', '=', parentId),
    )
    .execute();
}

/**
 * Moves a group and its descendants in the closure table under another parent (null: top level).
 * index: namespace_closure_pkey, namespace_closure_by_ancestor
 */
export async function moveClosure(tx: Transaction, id: number, parentId: number | null): Promise<void> {
  await tx
    .deleteFrom('namespace_closure')
    .where('descendant_id', 'in', selectDescendantIds(tx, id))
    .where('ancestor_id', 'not in', selectDescendantIds(tx, id))
    .execute();
  if (parentId === null) return;
  await tx
    .insertInto('namespace_closure')
    .columns(['ancestor_id', 'descendant_id', 'depth'])
    .expression((eb) =>
      eb
        .selectFrom('namespace_closure as ancestors')
        .innerJoin('namespace_closure as descendants', (join) => join.on('descendants.ancestor_id', '=', id))
        .select((row) => [
          'ancestors.ancestor_id',
          'descendants.descendant_id',
          sql<number>`${row.ref('ancestors.depth')} + ${row.ref('descendants.depth')} + 1`.as('depth'),
        ])
        .where('ancestors.descendant_id', '=', parentId),
    )
    .execute();
}
