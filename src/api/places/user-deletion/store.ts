import { projectsDirectlyIn } from '../../../access/closure.ts';
import type { Reader, Transaction } from '../../../database/database.ts';

/** The projects in the user's own namespace, those that are marked for deletion too. */
export function personalProjects(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  return projectsDirectlyIn(db, db.selectFrom('namespaces').select('id').where('owner_id', '=', userId));
}

/** Projects elsewhere stay, created by nobody. index: projects_by_creator */
export async function forgetCreator(tx: Transaction, userId: number): Promise<void> {
  await tx.updateTable('projects').set({ creator_id: null }).where('creator_id', '=', userId).execute();
}
