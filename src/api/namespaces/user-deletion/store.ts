import type { Reader } from '#database/database.ts';
import { listProjectIdsInNamespaces } from '#domain/namespaces/hierarchy.ts';

/** Lists the projects in the user's personal namespace, including those marked for deletion. */
export function listPersonalProjectIds(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  return listProjectIdsInNamespaces(db, db.selectFrom('namespaces').select('id').where('owner_id', '=', userId));
}
