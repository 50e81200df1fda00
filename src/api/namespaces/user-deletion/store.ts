import { referElsewhere } from '#database/batch-statements.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { projectsDirectlyIn } from '#domain/namespaces/hierarchy.ts';

/** The projects in the user's own namespace, those that are marked for deletion too. */
export function personalProjects(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  return projectsDirectlyIn(db, db.selectFrom('namespaces').select('id').where('owner_id', '=', userId));
}

/** So many of the projects elsewhere at most stay, created by nobody; how many it were. index: projects_by_creator */
export function forgetSomeCreated(tx: Transaction, userId: number, most: number): Promise<number> {
  return referElsewhere(tx, { table: 'projects', column: 'creator_id' }, { from: userId, to: null, most });
}
