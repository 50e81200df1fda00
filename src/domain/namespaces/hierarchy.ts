import type { Expression, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';

/** What is above a namespace, and what is inside it. */

/** The namespace itself and the groups above it, by `namespace_closure.depth`. index: namespace_closure_pkey */
export function itselfAndAbove(db: Reader, namespaceId: number | Expression<number>) {
  return db
    .selectFrom('namespace_closure')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .where('namespace_closure.descendant_id', '=', namespaceId);
}

/** The namespace at the top of what is above one, perhaps itself. index: namespace_closure_pkey */
export function topOf(db: Reader, namespaceId: number | Expression<number>) {
  return itselfAndAbove(db, namespaceId).orderBy('namespace_closure.depth', 'desc').limit(1);
}

/** The ids of the namespace itself and of the groups inside it. index: namespace_closure_by_ancestor */
export function namespacesInside(db: Reader, namespaceId: number | Expression<number>) {
  return db.selectFrom('namespace_closure').select('descendant_id').where('ancestor_id', '=', namespaceId);
}

/** The ids of the projects in the namespace and in the groups inside it. index: namespace_closure_by_ancestor, projects_by_namespace */
export function projectsInside(db: Reader, namespaceId: number) {
  return db.selectFrom('projects').select('projects.id').where('namespace_id', 'in', namespacesInside(db, namespaceId));
}

/** The projects that lie directly in these namespaces. index: projects_by_namespace */
export async function projectsDirectlyIn<TB extends keyof Schema>(
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
