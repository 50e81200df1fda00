import { sql } from 'kysely';
import type { Reader, Transaction } from '../database/database.ts';
import { foldCase } from '../database/keys.ts';

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

/** Moves a namespace and everything below it. Returns the projects whose full path changed, with their old one. */
export async function moveNamespaceRoutes(tx: Transaction, namespaceId: number, place: Place): Promise<MovedRoute[]> {
  // index: namespace_closure_by_ancestor, routes_by_namespace, routes_by_project
  const below = await tx
    .selectFrom('namespace_closure')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_closure.descendant_id')
    .select(['routes.id', 'routes.full_path', 'routes.full_name', 'routes.project_id', 'namespace_closure.depth'])
    .where('namespace_closure.ancestor_id', '=', namespaceId)
    .unionAll((eb) =>
      eb
        .selectFrom('namespace_closure')
        .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id')
        .innerJoin('routes', 'routes.project_id', 'projects.id')
        .select([
          'routes.id',
          'routes.full_path',
          'routes.full_name',
          'routes.project_id',
          sql<number>`100000`.as('depth'),
        ])
        .where('namespace_closure.ancestor_id', '=', namespaceId),
    )
    .execute();
  const old = await placeOfNamespace(tx, namespaceId);
  const moved: MovedRoute[] = [];
  for (const route of below) {
    const next = {
      full_path: place.full_path + route.full_path.slice(old.full_path.length),
      full_name: place.full_name + route.full_name.slice(old.full_name.length),
    };
    await setRoute(tx, route.id, next);
    if (route.project_id === null || foldCase(next.full_path) === foldCase(route.full_path)) continue;
    await keepRedirect(tx, route.full_path, route.project_id);
    moved.push({ project_id: route.project_id, old_path: route.full_path });
  }
  return moved;
}

interface MovedRoute {
  readonly project_id: number;
  readonly old_path: string;
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
