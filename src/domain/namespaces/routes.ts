import { type NotNull, sql } from 'kysely';
import { SimulatedUniqueViolation } from '#database/constraint-violations.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { prepareForIds } from '#database/prepare.ts';

// Full paths. They are unique among all groups, personal namespaces and projects (contract/planning.md "Data
// model").

export type FullPath = Columns<'routes', 'full_path' | 'full_name'>;

type RouteOwner = { readonly namespace_id: number } | { readonly project_id: number };

/**
 * Parses an `:id` (contract/conventions.md §2): digits are an id, anything else is a full path, ignoring case. Returns null
 * for a number that cannot be an id.
 */
export function parseIdOrPath(id: string): { readonly id: number } | { readonly key: string } | null {
  if (!/^-?\d+$/.test(id)) return { key: foldCase(id) };
  const number = Number(id);
  return Number.isSafeInteger(number) && number > 0 ? { id: number } : null;
}

/** Returns the full path and full name of a child of `parent`; null: of a top-level namespace. */
export function buildChildPath(parent: FullPath | null, path: string, name: string): FullPath {
  if (parent === null) return { full_path: path, full_name: name };
  return { full_path: `${parent.full_path}/${path}`, full_name: `${parent.full_name} / ${name}` };
}

/**
 * Creates the route of a new namespace or project and deletes a redirect with the same path. Throws the unique
 * violation of `routes_by_full_path` if the path is taken.
 */
export async function insertRoute(tx: Transaction, owner: RouteOwner, fullPath: FullPath): Promise<void> {
  const key = foldCase(fullPath.full_path);
  await tx.deleteFrom('redirects').where('full_path_key', '=', key).execute();
  await tx
    .insertInto('routes')
    .values({ ...fullPath, full_path_key: toReservedKey(key, owner), namespace_id: null, project_id: null, ...owner })
    .execute();
  await claimPath(tx, owner, key);
}

/** Suffix of the path of a wiki repository in git URLs (contract/operations.md §2.2). */
export const WIKI_SUFFIX = '.wiki';

/**
 * A project must not have the path of a wiki, as in `g/p.wiki` next to `g/p`: pushes to that wiki would reach the
 * project. A route for such a project is therefore first written with the key of `g/p`: the unique index then detects
 * an existing or concurrent `g/p`.
 */
function toReservedKey(key: string, owner: RouteOwner): string {
  return 'project_id' in owner && key.endsWith(WIKI_SUFFIX) ? key.slice(0, -WIKI_SUFFIX.length) : key;
}

/** Sets the final key and checks that no project has the path of this route's wiki. */
async function claimPath(tx: Transaction, owner: RouteOwner, key: string): Promise<void> {
  if (toReservedKey(key, owner) !== key) {
    await tx
      .updateTable('routes')
      .set({ full_path_key: key })
      .where((eb) => eb.and({ ...owner }))
      .execute();
  }
  // index: routes_by_full_path
  const conflict = await tx
    .selectFrom('routes')
    .select('id')
    .where('full_path_key', '=', key + WIKI_SUFFIX)
    .where('project_id', 'is not', null)
    .executeTakeFirst();
  if (conflict !== undefined) throw new SimulatedUniqueViolation('routes_by_full_path');
}

/** Returns the full path and full name of a namespace. Throws if it does not exist. */
export async function getNamespacePath(db: Reader, id: number): Promise<FullPath> {
  // index: routes_by_namespace
  return db
    .selectFrom('routes')
    .select(['full_path', 'full_name'])
    .where('namespace_id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Returns the full path of each of these namespaces, with one query. index: routes_by_namespace */
export async function loadNamespacePaths(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await loadNamespacePathRows(db, [...new Set(ids)]);
  return new Map(rows.map(({ id, full_path }) => [id, full_path]));
}

const loadNamespacePathRows = prepareForIds<{ id: number; full_path: string }>((db, ids) =>
  db
    .selectFrom('routes')
    .select(['namespace_id as id', 'full_path'])
    .where('namespace_id', 'in', ids)
    .$castTo<{ id: number; full_path: string }>(),
);

/** Moves the route of a project and keeps its old path as a redirect. Returns the old full path if it changed, else null. */
export async function moveProjectRoute(tx: Transaction, projectId: number, fullPath: FullPath): Promise<string | null> {
  // index: routes_by_project
  const oldRoute = await tx
    .selectFrom('routes')
    .select('full_path')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  await setRoute(tx, { project_id: projectId }, fullPath);
  if (foldCase(oldRoute.full_path) === foldCase(fullPath.full_path)) return null;
  await createRedirect(tx, oldRoute.full_path, projectId);
  return oldRoute.full_path;
}

/**
 * Moves the routes of a namespace and of its descendants, in batches. Calls `notify` for each project whose full path changed,
 * with the old path.
 */
export async function moveNamespaceRoutes(
  tx: Transaction,
  namespaceId: number,
  fullPath: FullPath,
  notify: (route: { readonly project_id: number; readonly old_path: string }) => Promise<void>,
): Promise<void> {
  const currentPath = await getNamespacePath(tx, namespaceId);
  const [oldPath, newPath] = [toKeyedPath(currentPath), toKeyedPath(fullPath)];
  await setRoute(tx, { namespace_id: namespaceId }, fullPath);
  for await (const batch of listRoutesBelow(tx, namespaceId, oldPath.full_path)) {
    await moveRoutes(tx, batch, oldPath, newPath);
    if (oldPath.key === newPath.key) continue;
    for (const { project_id, full_path } of await createRedirects(tx, batch, oldPath, newPath))
      await notify({ project_id, old_path: full_path });
  }
}

type KeyedPath = FullPath & { readonly key: string };

const toKeyedPath = (fullPath: FullPath): KeyedPath => ({ ...fullPath, key: foldCase(fullPath.full_path) });

/** Number of routes per batch: one statement for 100,000 routes would block other writers for seconds. */
const BATCH_SIZE = 500;

type DescendantRoute = Columns<'routes', 'id' | 'full_path_key' | 'namespace_id' | 'project_id'>;

/**
 * Yields the routes of the descendants of a namespace, in batches. Their paths begin with `fullPath`, which is the current path of
 * the namespace or an earlier one. Callers may move the routes between batches. Groups that are being destroyed have no ancestors
 * in the closure table and are skipped: another namespace may have the path above them by now.
 * index: routes_by_full_path, namespace_closure_pkey, projects primary key
 */
export async function* listRoutesBelow(
  db: Reader,
  namespaceId: number,
  fullPath: string,
): AsyncGenerator<readonly DescendantRoute[]> {
  const key = foldCase(fullPath);
  const ownerId = sql<number>`coalesce(
    routes.namespace_id, (select projects.namespace_id from projects where projects.id = routes.project_id)
  )`;
  // A scalar subquery instead of EXISTS: PostgreSQL would turn EXISTS into a join of all descendants for each batch.
  const depth = db
    .selectFrom('namespace_closure')
    .select('depth')
    .where('ancestor_id', '=', namespaceId)
    .where('descendant_id', '=', ownerId);
  const descendantRoutes = db
    .selectFrom('routes')
    .select(['id', 'full_path_key', 'namespace_id', 'project_id'])
    // Selects the prefix `key/`: `0` is the character after the slash.
    .where('full_path_key', '<', `${key}0`)
    .where((eb) => eb(depth, 'is not', null))
    .orderBy('full_path_key')
    .limit(BATCH_SIZE);
  for (let after = `${key}/`; ; ) {
    const batch = await descendantRoutes.where('full_path_key', '>', after).execute();
    const last = batch.at(-1);
    if (last !== undefined) yield batch;
    if (last === undefined || batch.length < BATCH_SIZE) return;
    after = last.full_path_key;
  }
}

type RouteRefs = readonly { readonly id: number }[];

/** Condition: the route is one of these. index: routes primary key */
const hasRouteIdIn = (db: Reader, routes: RouteRefs) =>
  isInIds(
    db,
    sql<number>`routes.id`,
    routes.map(({ id }) => id),
  );

/** Replaces the beginning of the paths and names of these routes. */
async function moveRoutes(tx: Transaction, routes: RouteRefs, oldPath: KeyedPath, newPath: KeyedPath): Promise<void> {
  await tx
    .updateTable('routes')
    .set({
      full_path: replacePrefix(newPath.full_path, 'routes.full_path', oldPath.full_path),
      full_path_key: replacePrefix(newPath.key, 'routes.full_path_key', oldPath.key),
      full_name: replacePrefix(newPath.full_name, 'routes.full_name', oldPath.full_name),
    })
    .where(hasRouteIdIn(tx, routes))
    .execute();
}

/** Returns the SQL expression of a column with its prefix `oldPrefix` replaced by `newPrefix`. */
function replacePrefix(newPrefix: string, column: `routes.${string}`, oldPrefix: string) {
  return sql<string>`${newPrefix} || substr(${sql.ref(column)}, ${[...oldPrefix].length + 1})`;
}

/**
 * Creates redirects at the old paths of the projects among these moved routes. Deletes redirects with the new paths.
 */
async function createRedirects(tx: Transaction, routes: RouteRefs, oldPath: KeyedPath, newPath: KeyedPath) {
  const movedRoutes = tx.selectFrom('routes').where(hasRouteIdIn(tx, routes));
  await tx.deleteFrom('redirects').where('full_path_key', 'in', movedRoutes.select('full_path_key')).execute();
  const newRedirects = movedRoutes
    .select([
      replacePrefix(oldPath.full_path, 'routes.full_path', newPath.full_path).as('full_path'),
      replacePrefix(oldPath.key, 'routes.full_path_key', newPath.key).as('full_path_key'),
      'project_id',
    ])
    .$narrowType<{ project_id: NotNull }>()
    .where('project_id', 'is not', null);
  return tx
    .insertInto('redirects')
    .columns(['full_path', 'full_path_key', 'project_id'])
    .expression(newRedirects)
    .onConflict((conflict) =>
      conflict.column('full_path_key').doUpdateSet((eb) => ({
        project_id: eb.ref('excluded.project_id'),
        full_path: eb.ref('excluded.full_path'),
      })),
    )
    .returning(['project_id', 'full_path'])
    .execute();
}

/** Updates the route of one namespace or project. index: routes_by_namespace, routes_by_project */
async function setRoute(tx: Transaction, owner: RouteOwner, fullPath: FullPath): Promise<void> {
  const key = foldCase(fullPath.full_path);
  await tx.deleteFrom('redirects').where('full_path_key', '=', key).execute();
  await tx
    .updateTable('routes')
    .set({ ...fullPath, full_path_key: toReservedKey(key, owner) })
    .where((eb) => eb.and({ ...owner }))
    .execute();
  await claimPath(tx, owner, key);
}

/** Creates a redirect from an old path, or points an existing one to this project. */
async function createRedirect(tx: Transaction, oldPath: string, projectId: number): Promise<void> {
  const key = foldCase(oldPath);
  await tx
    .insertInto('redirects')
    .values({ full_path: oldPath, full_path_key: key, project_id: projectId })
    .onConflict((conflict) =>
      conflict.column('full_path_key').doUpdateSet({ project_id: projectId, full_path: oldPath }),
    )
    .execute();
}

/** Returns the path of an alert's page in the browser, relative to the server's address. */
export function buildAlertPath(projectPath: string, iid: number): string {
  return `/${projectPath}/-/alert_management/${iid}/details`;
}
