import type { Transaction } from '#database/database.ts';

/** While the repositories of a project are filled nobody else writes to them, and none of them goes to another storage. */

/** Where they were when that began. */
export interface Place {
  readonly storage: string;
  readonly disk_path: string;
}

/** Closes them to others; null: they are on their way to another storage. */
export async function beginFilling(tx: Transaction, projectId: number): Promise<Place | null> {
  const place = await tx
    .updateTable('repositories')
    .set({ read_only: true })
    .where('project_id', '=', projectId)
    .where('move_id', 'is', null)
    .returning(['storage', 'disk_path'])
    .executeTakeFirst();
  return place ?? null;
}

/** Opens them, unless a move has them. */
export async function giveUpFilling(tx: Transaction, projectId: number): Promise<void> {
  await opening(tx, projectId).execute();
}

/** The same. False: somebody has opened them before, and had them moved: what has come may not have come along. */
export async function endFilling(tx: Transaction, projectId: number, { storage, disk_path }: Place): Promise<boolean> {
  const ended = await opening(tx, projectId)
    .where('storage', '=', storage)
    .where('disk_path', '=', disk_path)
    .returning('project_id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** index: repositories primary key */
function opening(tx: Transaction, projectId: number) {
  return tx
    .updateTable('repositories')
    .set({ read_only: false })
    .where('project_id', '=', projectId)
    .where('move_id', 'is', null);
}
