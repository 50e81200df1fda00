import { type NotNull, sql } from 'kysely';
import type { Reader, Transaction } from '../database/database.ts';
import { foldCase } from '../database/keys.ts';
import { namespacesInside, projectsInside } from './closure.ts';

/** Full paths: one space for groups, personal namespaces and projects (contract/planning.md "Data model"). */

export interface Place {
  readonly full_path: string;
  readonly full_name: string;
}

type RouteOwner = { readonly namespace_id: number } | { readonly project_id: number };

/**
 * What an `:id` says (contract/conventions.md §2): digits are an id, all else is a full path in any case. Null: nothing
 * has such an id.
 */
export function namedBy(id: string): { readonly id: number } | { readonly key: string } | null {
  if (!/^-?\d+$/.test(id)) return { key: foldCase(id) };
  const number = Number(id);
  return Number.isSafeInteger(number) && number > 0 ? { id: number } : null;
}

export function childOf(parent: Place | null, path: string, name: string): Place {
  if (parent === null) return { full_path: path, full_name: name };
  return { full_path: `${parent.full_path}/${path}`, full_name: `${parent.full_name} / ${name}` };
}

/** Puts a new namespace or project at its place; a redirect from there ends. Of a path that is taken it throws what `routes_by_full_path` says. */
export async function insertRoute(tx: Transaction, owner: RouteOwner, place: Place): Promise<void> {
  const key = foldCase(place.full_path);
  await tx.deleteFrom('redirects').where('full_path_key', '=', key).execute();
  await tx
    .insertInto('routes')
    .values({ ...place, full_path_key: key, namespace_id: null, project_id: null, ...owner })
    .execute();
}

export async function placeOfNamespace(db: Reader, id: number): Promise<Place> {
  // index: routes_by_namespace
  return db
    .selectFrom('routes')
    .select(['full_path', 'full_name'])
    .where('namespace_id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Moves one project; the old path is kept as a redirect. Returns the old full path when it changed. */
export async function moveProjectRoute(tx: Transaction, projectId: number, place: Place): Promise<string | null> {
  // index: routes_by_project
  const old = await tx
    .selectFrom('routes')
    .select(['id', 'full_path'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  await setRoute(tx, old.id, place);
  if (foldCase(old.full_path) === foldCase(place.full_path)) return null;
  await keepRedirect(tx, old.full_path, projectId);
  return old.full_path;
}

/**
 * Moves a namespace and everything below it. Returns the projects whose full path changed, with their old one. However
 * much is below, these are a few statements: what is there keeps its end and gets another beginning.
 */
export async function moveNamespaceRoutes(tx: Transaction, namespaceId: number, place: Place): Promise<MovedRoute[]> {
  const old = await placeOfNamespace(tx, namespaceId);
  const [oldKey, key] = [foldCase(old.full_path), foldCase(place.full_path)];
  const moving = tx.updateTable('routes').set({
    full_path: beginning(place.full_path, 'routes.full_path', old.full_path),
    full_path_key: beginning(key, 'routes.full_path_key', oldKey),
    full_name: beginning(place.full_name, 'routes.full_name', old.full_name),
  });
  // Two, because one for both would look at every route. index: routes_by_namespace, routes_by_project
  await moving.where('namespace_id', 'in', namespacesInside(tx, namespaceId)).execute();
  await moving.where('project_id', 'in', projectsInside(tx, namespaceId)).execute();
  return key === oldKey ? [] : redirectFrom(tx, namespaceId, { from: old.full_path, to: place.full_path });
}

interface MovedRoute {
  readonly project_id: number;
  readonly old_path: string;
}

/** The text of the column with this in place of what it begins with. */
function beginning(next: string, column: `routes.${string}`, old: string) {
  return sql<string>`${next} || substr(${sql.ref(column)}, ${[...old].length + 1})`;
}

/** Leaves redirects where the projects of a moved namespace were; those where it is now end. */
async function redirectFrom(
  tx: Transaction,
  namespaceId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<MovedRoute[]> {
  // index: namespace_closure_by_ancestor, routes_by_namespace, projects_by_namespace, routes_by_project
  const ofNamespaces = tx
    .selectFrom('routes')
    .select('full_path_key')
    .where('namespace_id', 'in', namespacesInside(tx, namespaceId));
  const ofProjects = tx
    .selectFrom('routes')
    .select('full_path_key')
    .where('project_id', 'in', projectsInside(tx, namespaceId));
  await tx.deleteFrom('redirects').where('full_path_key', 'in', ofNamespaces.unionAll(ofProjects)).execute();
  const moved = tx
    .selectFrom('routes')
    .select([
      beginning(from, 'routes.full_path', to).as('full_path'),
      beginning(foldCase(from), 'routes.full_path_key', foldCase(to)).as('full_path_key'),
      'project_id',
    ])
    .$narrowType<{ project_id: NotNull }>()
    .where('project_id', 'in', projectsInside(tx, namespaceId));
  return tx
    .insertInto('redirects')
    .columns(['full_path', 'full_path_key', 'project_id'])
    .expression(moved)
    .onConflict((conflict) =>
      conflict.column('full_path_key').doUpdateSet((eb) => ({
        project_id: eb.ref('excluded.project_id'),
        full_path: eb.ref('excluded.full_path'),
      })),
    )
    .returning(['project_id', 'full_path as old_path'])
    .execute();
}

async function setRoute(tx: Transaction, id: number, place: Place): Promise<void> {
  const key = foldCase(place.full_path);
  await tx.deleteFrom('redirects').where('full_path_key', '=', key).execute();
  await tx
    .updateTable('routes')
    .set({ ...place, full_path_key: key })
    .where('id', '=', id)
    .execute();
}

async function keepRedirect(tx: Transaction, oldPath: string, projectId: number): Promise<void> {
  const key = foldCase(oldPath);
  await tx
    .insertInto('redirects')
    .values({ full_path: oldPath, full_path_key: key, project_id: projectId })
    .onConflict((conflict) =>
      conflict.column('full_path_key').doUpdateSet({ project_id: projectId, full_path: oldPath }),
    )
    .execute();
}
