import type { Reader, Transaction } from '../../../database/database.ts';

/** The projects in the user's own namespace, those that are marked for deletion too. */
export async function personalProjects(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  const rows = await db
    .selectFrom('namespaces')
    .innerJoin('projects', 'projects.namespace_id', 'namespaces.id')
    .select('projects.id')
    .where('namespaces.owner_id', '=', userId)
    .orderBy('projects.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Projects elsewhere stay, created by nobody. index: projects_by_creator */
export async function forgetCreator(tx: Transaction, userId: number): Promise<void> {
  await tx.updateTable('projects').set({ creator_id: null }).where('creator_id', '=', userId).execute();
}
