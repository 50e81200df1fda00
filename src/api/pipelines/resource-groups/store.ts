import type { Selectable } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { ProcessMode } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type ResourceGroupRow = Selectable<Schema['resource_groups']>;

/** Selects the resource groups of a project. index: resource_groups_by_key */
function selectOfProject(db: Reader, projectId: number) {
  return db.selectFrom('resource_groups').selectAll().where('project_id', '=', projectId);
}

/** Returns one page of a project's resource groups, the oldest first. */
export function listResourceGroups(
  db: Reader,
  projectId: number,
  page: OffsetRequest,
): Promise<Page<ResourceGroupRow>> {
  return paginate(db, selectOfProject(db, projectId).orderBy('id'), page);
}

/** Returns the resource group of a project with this key, or null. */
export async function findResourceGroup(db: Reader, projectId: number, key: string): Promise<ResourceGroupRow | null> {
  return (await selectOfProject(db, projectId).where('key', '=', key).executeTakeFirst()) ?? null;
}

/** Sets the process mode and returns the updated group. index: resource_groups primary key */
export async function setProcessMode(
  tx: Transaction,
  group: ResourceGroupRow,
  mode: ProcessMode,
): Promise<ResourceGroupRow> {
  const changedColumns = { process_mode: mode, updated_at: tx.now };
  await tx.updateTable('resource_groups').set(changedColumns).where('id', '=', group.id).execute();
  return { ...group, ...changedColumns };
}
