import { projectsDirectlyIn } from '../../../access/closure.ts';
import type { Reader, Transaction } from '../../../database/database.ts';

/** The projects in the user's own namespace, those that are marked for deletion too. */
export function personalProjects(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  return projectsDirectlyIn(db, db.selectFrom('namespaces').select('id').where('owner_id', '=', userId));
}

/** So many of the projects elsewhere at most stay, created by nobody; how many it were. index: projects_by_creator */
export async function forgetSomeCreated(tx: Transaction, userId: number, most: number): Promise<number> {
  const created = tx.selectFrom('projects').select('id').where('creator_id', '=', userId).limit(most);
  const forgotten = await tx
    .updateTable('projects')
    .set({ creator_id: null })
    .where('id', 'in', created)
    .executeTakeFirst();
  return Number(forgotten.numUpdatedRows);
}
