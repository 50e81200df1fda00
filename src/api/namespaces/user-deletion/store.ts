import { reassignReferences } from '#database/batch-statements.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { listProjectIdsInNamespaces } from '#domain/namespaces/hierarchy.ts';

/** Lists the projects in the user's personal namespace, including those marked for deletion. */
export function listPersonalProjectIds(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  return listProjectIdsInNamespaces(db, db.selectFrom('namespaces').select('id').where('owner_id', '=', userId));
}

/** Clears the creator of at most `limit` projects. Returns the number of changed projects. index: projects_by_creator */
export function clearProjectCreatorBatch(tx: Transaction, userId: number, limit: number): Promise<number> {
  return reassignReferences(tx, { table: 'projects', column: 'creator_id' }, { from: userId, to: null, limit });
}
