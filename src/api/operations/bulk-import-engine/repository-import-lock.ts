import type { Columns, Transaction } from '#database/database.ts';

/** Makes the repositories of a project read-only during an import, and prevents moves to another storage. */

/** Location of the repositories at the start of the import. */
export type LockedRepository = Columns<'repositories', 'storage' | 'disk_path'>;

/** Makes the repositories read-only. Returns null if they are moving to another storage. */
export async function lockRepositories(tx: Transaction, projectId: number): Promise<LockedRepository | null> {
  const location = await tx
    .updateTable('repositories')
    .set({ read_only: true })
    .where('project_id', '=', projectId)
    .where('move_id', 'is', null)
    .returning(['storage', 'disk_path'])
    .executeTakeFirst();
  return location ?? null;
}

/** Makes the repositories writable again, unless they are moving to another storage. */
export async function unlockRepositories(tx: Transaction, projectId: number): Promise<void> {
  await buildUnlockQuery(tx, projectId).execute();
}

/**
 * Unlocks the repositories. Returns false if they were unlocked and moved meanwhile, so that fetched data may be
 * missing.
 */
export async function unlockUnmovedRepositories(
  tx: Transaction,
  projectId: number,
  { storage, disk_path }: LockedRepository,
): Promise<boolean> {
  const unlockedRow = await buildUnlockQuery(tx, projectId)
    .where('storage', '=', storage)
    .where('disk_path', '=', disk_path)
    .returning('project_id')
    .executeTakeFirst();
  return unlockedRow !== undefined;
}

/** index: repositories primary key */
function buildUnlockQuery(tx: Transaction, projectId: number) {
  return tx
    .updateTable('repositories')
    .set({ read_only: false })
    .where('project_id', '=', projectId)
    .where('move_id', 'is', null);
}
