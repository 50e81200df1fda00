import { moveNamespaceRoutes, type Place } from '../../access/routes.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { foldCase } from '../../database/keys.ts';
import type { FactBus } from '../../facts/facts.ts';

/** Is nothing at this full path but, perhaps, this group? index: routes_by_full_path */
export async function isPathFree(db: Reader, fullPath: string, groupId?: number): Promise<boolean> {
  const found = await db
    .selectFrom('routes')
    .select('namespace_id')
    .where('full_path_key', '=', foldCase(fullPath))
    .executeTakeFirst();
  return found === undefined || found.namespace_id === groupId;
}

/** Moves the group with all that is below it; each project that has another path now is told of. */
export async function moveGroup(tx: Transaction, facts: FactBus, groupId: number, place: Place): Promise<void> {
  for (const { project_id, old_path } of await moveNamespaceRoutes(tx, groupId, place)) {
    await facts.publish(tx, 'project-moved', { projectId: project_id, oldPaths: [old_path] });
  }
}
