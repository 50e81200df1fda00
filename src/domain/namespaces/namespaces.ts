import { type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type LookedThrough, lookThrough } from '#database/page.ts';
import { COMMON, isCommonIn } from '#database/search/common-substrings.ts';
import {
  containing,
  containingUnindexed,
  eachContaining,
  escapeLike,
  idsContaining,
  isShortPart,
  like,
} from '#database/search/substring-search.ts';
import { namespacesInside } from './hierarchy.ts';
import { insertRoute, type Place } from './routes.ts';

/** Namespaces as rows: reading them; inserting one with its route and its lines in the closure table. */

/** A namespace with its place, and with the user whose own it is. */
export interface NamespaceRow {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly kind: 'user' | 'group';
  readonly full_path: string;
  readonly parent_id: number | null;
  readonly owner_id: number | null;
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

/** A namespace's own segment of its full path, folded: it is ASCII (name-validation.ts), of which every engine knows the lower case. */
export const ownPathKey = sql<string>`lower(namespaces.path)`;

/** The same where the namespace is not joined: PostgreSQL expects so many routes that it would read all namespaces to join them. */
const ownPathKeyOfRoute = sql<string>`(select ${ownPathKey} from namespaces where namespaces.id = routes.namespace_id)`;

/** Routes of namespaces; `is true` keeps PostgreSQL from reading the whole index of namespaces to find those that have one. */
const ofNamespaces = sql<SqlBool>`(routes.namespace_id is not null) is true`;

/** Whether so many namespaces have this in their names or paths that a list is looked through in its order. */
export async function isCommonPart(db: Reader, search: string): Promise<boolean> {
  const part = foldCase(search);
  if (isShortPart(part)) return true;
  if (await isCommonIn(db, 'namespaces', 'name_key', part)) return true;
  return isCommonIn(db, 'routes', 'full_path_key', part, { rows: ofNamespaces });
}

/**
 * The ids of all namespaces that have this in their names or paths, in any case, `whole`: in their full paths; null when so
 * many have it that a list is looked through in its order.
 * index: namespaces_name_key_trigrams, routes_full_path_key_trigrams
 */
export async function namespacesWith(
  db: Reader,
  search: string,
  { whole }: { readonly whole: boolean },
): Promise<LookedThrough['isKnown']> {
  const part = foldCase(search);
  if (isShortPart(part) || (await isCommonIn(db, 'namespaces', 'name_key', part))) return null;
  const conditions = whole ? [ofNamespaces] : [ofNamespaces, like(ownPathKeyOfRoute, `%${escapeLike(part)}%`)];
  const namespaceId = sql<{ id: number }>`routes.namespace_id as id`;
  const routes = eachContaining(db, 'routes', 'full_path_key', part, namespaceId, conditions);
  const some = sql<{ id: number }>`(select id from (${routes} limit ${sql.lit(COMMON + 1)}) as placed
    union ${idsContaining(db, 'namespaces', 'name_key', part)})`;
  return (await lookThrough(db, db.selectFrom(some.as('having')).select('having.id'))).isKnown;
}

/**
 * A condition on namespaces joined with their routes: they have this inside their name or path, in any case; `whole`:
 * inside their full path. A `common` part is looked for in each.
 * index: namespaces_name_key_trigrams, routes_full_path_key_trigrams
 */
export function namespaceHas(
  db: Reader,
  search: string,
  { whole, common }: { readonly whole: boolean; readonly common: boolean },
): RawBuilder<SqlBool> {
  const part = foldCase(search);
  const placed = whole
    ? containingUnindexed('routes', ['full_path_key'], part)
    : like(ownPathKey, `%${escapeLike(part)}%`);
  if (common) return sql<SqlBool>`(${containingUnindexed('namespaces', ['name_key'], part)} or ${placed})`;
  const inRoutes = db
    .selectFrom('routes')
    .select('routes.namespace_id as id')
    .where(ofNamespaces)
    .$narrowType<{ id: NotNull }>()
    .where(containing(db, 'routes', 'full_path_key', part));
  const found = whole ? inRoutes : inRoutes.where(like(ownPathKeyOfRoute, `%${escapeLike(part)}%`));
  return sql<SqlBool>`namespaces.id in (${found.union(idsContaining(db, 'namespaces', 'name_key', part))})`;
}

interface NewNamespace {
  readonly kind: 'user' | 'group';
  readonly owner_id: number | null;
  readonly parent_id: number | null;
  readonly path: string;
  readonly name: string;
  readonly description?: string;
  readonly visibility: 'private' | 'internal' | 'public';
  readonly attributes?: string;
  /** Where the repository of a group's wiki would be. */
  readonly storage?: string;
}

/** Throws the unique violation of `routes_by_full_path` when the path is taken. */
export async function insertNamespace(tx: Transaction, namespace: NewNamespace, place: Place): Promise<number> {
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
  await insertRoute(tx, { namespace_id: id }, place);
  await insertClosure(tx, id, namespace.parent_id);
  return id;
}

/** A user's own namespace: path = username. It is public; its projects decide for themselves. */
export function createPersonalNamespace(
  tx: Transaction,
  user: { readonly id: number; readonly username: string; readonly name: string },
): Promise<number> {
  const { id, username, name } = user;
  return insertNamespace(
    tx,
    { kind: 'user', owner_id: id, parent_id: null, path: username, name, visibility: 'public' },
    { full_path: username, full_name: name },
  );
}

/** Frees the path of a user's own namespace, in which nothing is any more. index: namespaces_by_owner */
export async function deletePersonalNamespace(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('namespaces').where('owner_id', '=', userId).execute();
}

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

/** Hangs a group, with everything below it, under another parent (null: top level). index: namespace_closure_pkey, namespace_closure_by_ancestor */
export async function moveClosure(tx: Transaction, id: number, parentId: number | null): Promise<void> {
  await tx
    .deleteFrom('namespace_closure')
    .where('descendant_id', 'in', namespacesInside(tx, id))
    .where('ancestor_id', 'not in', namespacesInside(tx, id))
    .execute();
  if (parentId === null) return;
  await tx
    .insertInto('namespace_closure')
    .columns(['ancestor_id', 'descendant_id', 'depth'])
    .expression((eb) =>
      eb
        .selectFrom('namespace_closure as up')
        .innerJoin('namespace_closure as down', (join) => join.on('down.ancestor_id', '=', id))
        .select((row) => [
          'up.ancestor_id',
          'down.descendant_id',
          sql<number>`${row.ref('up.depth')} + ${row.ref('down.depth')} + 1`.as('depth'),
        ])
        .where('up.descendant_id', '=', parentId),
    )
    .execute();
}
