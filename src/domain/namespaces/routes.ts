import { type NotNull, sql } from 'kysely';
import { AlikeViolation } from '#database/constraint-violations.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { prepareForIds } from '#database/prepare.ts';

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
    .values({ ...place, full_path_key: firstKey(key, owner), namespace_id: null, project_id: null, ...owner })
    .execute();
  await claimAddresses(tx, owner, key);
}

/** What follows a path in the address of the wiki of what is there, for git (contract/operations.md §2.2). */
export const WIKI_SUFFIX = '.wiki';

/**
 * One address leads to one repository: no project is called like the wiki of a group or project beside it, or else whoever
 * made it would be pushed what is meant for that wiki. So it stands for an instant where that is: the index says whether
 * somebody is there, or comes there at this moment.
 */
function firstKey(key: string, owner: RouteOwner): string {
  return 'project_id' in owner && key.endsWith(WIKI_SUFFIX) ? key.slice(0, -WIKI_SUFFIX.length) : key;
}

/** The second half of taking a place: the key itself, and no project is there that is called like its wiki. */
async function claimAddresses(tx: Transaction, owner: RouteOwner, key: string): Promise<void> {
  if (firstKey(key, owner) !== key) {
    await tx
      .updateTable('routes')
      .set({ full_path_key: key })
      .where((eb) => eb.and({ ...owner }))
      .execute();
  }
  // index: routes_by_full_path
  const clash = await tx
    .selectFrom('routes')
    .select('id')
    .where('full_path_key', '=', key + WIKI_SUFFIX)
    .where('project_id', 'is not', null)
    .executeTakeFirst();
  if (clash !== undefined) throw new AlikeViolation('routes_by_full_path');
}

export async function placeOfNamespace(db: Reader, id: number): Promise<Place> {
  // index: routes_by_namespace
  return db
    .selectFrom('routes')
    .select(['full_path', 'full_name'])
    .where('namespace_id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The full paths of these namespaces, in one statement. index: routes_by_namespace */
export async function namespacePaths(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await pathsOfNamespaces(db, [...new Set(ids)]);
  return new Map(rows.map(({ id, full_path }) => [id, full_path]));
}

const pathsOfNamespaces = prepareForIds<{ id: number; full_path: string }>((db, ids) =>
  db
    .selectFrom('routes')
    .select(['namespace_id as id', 'full_path'])
    .where('namespace_id', 'in', ids)
    .$castTo<{ id: number; full_path: string }>(),
);

/** Moves one project; the old path is kept as a redirect. Returns the old full path when it changed. */
export async function moveProjectRoute(tx: Transaction, projectId: number, place: Place): Promise<string | null> {
  // index: routes_by_project
  const old = await tx
    .selectFrom('routes')
    .select('full_path')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  await setRoute(tx, { project_id: projectId }, place);
  if (foldCase(old.full_path) === foldCase(place.full_path)) return null;
  await keepRedirect(tx, old.full_path, projectId);
  return old.full_path;
}

/**
 * Moves a namespace and everything below it; `tell` hears of each project whose full path changed, with its old one. What is
 * there keeps its end and gets another beginning, by pieces, however much is below.
 */
export async function moveNamespaceRoutes(
  tx: Transaction,
  namespaceId: number,
  place: Place,
  tell: (moved: MovedRoute) => Promise<void>,
): Promise<void> {
  const old = await placeOfNamespace(tx, namespaceId);
  const [from, to] = [keyed(old), keyed(place)];
  await setRoute(tx, { namespace_id: namespaceId }, place);
  for await (const piece of routesBelow(tx, namespaceId, old.full_path)) {
    await moveRoutes(tx, piece, from, to);
    if (from.key === to.key) continue;
    for (const { project_id, full_path } of await redirectFrom(tx, piece, from, to))
      await tell({ project_id, old_path: full_path });
  }
}

interface MovedRoute {
  readonly project_id: number;
  readonly old_path: string;
}

type KeyedPlace = Place & { readonly key: string };

const keyed = (place: Place): KeyedPlace => ({ ...place, key: foldCase(place.full_path) });

/** So many routes are read and written at once: a statement for 100,000 would hold everybody up for seconds. */
const PIECE = 500;

interface RouteBelow {
  readonly id: number;
  readonly full_path_key: string;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
}

/**
 * What is below a namespace at any depth, by its full path (which it may have left), in pieces; what is read may be moved
 * elsewhere meanwhile. A group that was put away, and waits there for its destruction, is below nothing any more: by now the
 * path above it may be somebody else's. index: routes_by_full_path, namespace_closure_pkey, projects primary key
 */
export async function* routesBelow(
  db: Reader,
  namespaceId: number,
  fullPath: string,
): AsyncGenerator<readonly RouteBelow[]> {
  const key = foldCase(fullPath);
  const holder = sql<number>`coalesce(
    routes.namespace_id, (select projects.namespace_id from projects where projects.id = routes.project_id)
  )`;
  // A value and not EXISTS: of that PostgreSQL would make a join of all that is below, for each piece.
  const depth = db
    .selectFrom('namespace_closure')
    .select('depth')
    .where('ancestor_id', '=', namespaceId)
    .where('descendant_id', '=', holder);
  const inside = db
    .selectFrom('routes')
    .select(['id', 'full_path_key', 'namespace_id', 'project_id'])
    // What begins with `key/`: the character after the slash is a nought.
    .where('full_path_key', '<', `${key}0`)
    .where((eb) => eb(depth, 'is not', null))
    .orderBy('full_path_key')
    .limit(PIECE);
  for (let after = `${key}/`; ; ) {
    const piece = await inside.where('full_path_key', '>', after).execute();
    const last = piece.at(-1);
    if (last !== undefined) yield piece;
    if (last === undefined || piece.length < PIECE) return;
    after = last.full_path_key;
  }
}

type Ids = readonly { readonly id: number }[];

/** index: routes primary key */
const areThese = (db: Reader, routes: Ids) =>
  isAmong(
    db,
    sql<number>`routes.id`,
    routes.map(({ id }) => id),
  );

async function moveRoutes(tx: Transaction, routes: Ids, from: KeyedPlace, to: KeyedPlace): Promise<void> {
  await tx
    .updateTable('routes')
    .set({
      full_path: beginning(to.full_path, 'routes.full_path', from.full_path),
      full_path_key: beginning(to.key, 'routes.full_path_key', from.key),
      full_name: beginning(to.full_name, 'routes.full_name', from.full_name),
    })
    .where(areThese(tx, routes))
    .execute();
}

/** The text of the column with this in place of what it begins with. */
function beginning(next: string, column: `routes.${string}`, old: string) {
  return sql<string>`${next} || substr(${sql.ref(column)}, ${[...old].length + 1})`;
}

/** Leaves redirects where the projects among these moved routes were; those where one is now end. */
async function redirectFrom(tx: Transaction, routes: Ids, from: KeyedPlace, to: KeyedPlace) {
  const moved = tx.selectFrom('routes').where(areThese(tx, routes));
  await tx.deleteFrom('redirects').where('full_path_key', 'in', moved.select('full_path_key')).execute();
  const left = moved
    .select([
      beginning(from.full_path, 'routes.full_path', to.full_path).as('full_path'),
      beginning(from.key, 'routes.full_path_key', to.key).as('full_path_key'),
      'project_id',
    ])
    .$narrowType<{ project_id: NotNull }>()
    .where('project_id', 'is not', null);
  return tx
    .insertInto('redirects')
    .columns(['full_path', 'full_path_key', 'project_id'])
    .expression(left)
    .onConflict((conflict) =>
      conflict.column('full_path_key').doUpdateSet((eb) => ({
        project_id: eb.ref('excluded.project_id'),
        full_path: eb.ref('excluded.full_path'),
      })),
    )
    .returning(['project_id', 'full_path'])
    .execute();
}

/** index: routes_by_namespace, routes_by_project */
async function setRoute(tx: Transaction, owner: RouteOwner, place: Place): Promise<void> {
  const key = foldCase(place.full_path);
  await tx.deleteFrom('redirects').where('full_path_key', '=', key).execute();
  await tx
    .updateTable('routes')
    .set({ ...place, full_path_key: firstKey(key, owner) })
    .where((eb) => eb.and({ ...owner }))
    .execute();
  await claimAddresses(tx, owner, key);
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
