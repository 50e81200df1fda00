import type { Expression, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';

// Queries for the ancestors and descendants of a namespace.

/**
 * Selects the namespace and its ancestors; order by `namespace_closure.depth` for the nearest first.
 * index: namespace_closure_pkey
 */
export function selectSelfAndAncestors(db: Reader, namespaceId: number | Expression<number>) {
  return db
    .selectFrom('namespace_closure')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .where('namespace_closure.descendant_id', '=', namespaceId);
}

/** Selects the root namespace, which may be the namespace itself. index: namespace_closure_pkey */
export function selectRootNamespace(db: Reader, namespaceId: number | Expression<number>) {
  return selectSelfAndAncestors(db, namespaceId).orderBy('namespace_closure.depth', 'desc').limit(1);
}

/** Selects the ids of the namespace and of the groups below it. index: namespace_closure_by_ancestor */
export function selectDescendantIds(db: Reader, namespaceId: number | Expression<number>) {
  return db.selectFrom('namespace_closure').select('descendant_id').where('ancestor_id', '=', namespaceId);
}

/**
 * Selects the ids of the projects in the namespace and in the groups below it.
 * index: namespace_closure_by_ancestor, projects_by_namespace
 */
export function selectDescendantProjectIds(db: Reader, namespaceId: number) {
  return db
    .selectFrom('projects')
    .select('projects.id')
    .where('namespace_id', 'in', selectDescendantIds(db, namespaceId));
}

/** Returns the ids of the projects directly in these namespaces, in ascending order. index: projects_by_namespace */
export async function listProjectIdsInNamespaces<TB extends keyof Schema>(
  db: Reader,
  namespaceIds: SelectQueryBuilder<Schema, TB, Record<string, number>>,
): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', 'in', namespaceIds)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
