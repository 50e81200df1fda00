import { findGroup, type Group } from '../../../access/groups.ts';
import { scheduledForDeletion } from '../../../access/names.ts';
import { childOf, isPathTaken, placeOfNamespace } from '../../../access/routes.ts';
import type { Database, Reader, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { Surroundings } from './audited.ts';
import { destroyGroup } from './destroy.ts';
import { isPathFree, moveGroup } from './places.ts';

/** Deleting a group is delayed: it is marked, and destroyed when its time has come (contract/planning.md §3.1 "Deletion is delayed"). */

export type DeletionRefusal = 'alreadyMarked' | 'rootNotAtOnce' | 'notMarked' | 'wrongPath' | 'gone';

type Rooms = Surroundings & { readonly database: Database };

/** Marks the group: its path is free at once, it is archived, and can be restored. Below a marked group nothing is to do. */
export async function scheduleDeletion(
  { database, facts }: Rooms,
  caller: SignedIn,
  groupId: number,
): Promise<null | Refused<DeletionRefusal>> {
  return database.transaction(async (tx) => {
    const group = await readAgain(tx, caller, groupId);
    if (group === null) return refused('gone');
    if (group.marked_for_deletion_on !== null) return refused('alreadyMarked');
    if (await isBelowMarked(tx, group.id)) return null;
    const { id, name, path } = group;
    const before = { name_before_deletion: name, path_before_deletion: path };
    const marked = { ...before, archived: true, marked_for_deletion_on: tx.now.slice(0, 10) };
    await rename(
      tx,
      facts,
      group,
      { name: scheduledForDeletion(name, id), path: scheduledForDeletion(path, id) },
      marked,
    );
    return null;
  });
}

/** Takes the mark away again: former name and path, no longer archived. */
export async function restoreGroup(
  { database, facts }: Rooms,
  caller: SignedIn,
  groupId: number,
): Promise<null | Refused<'notMarked' | 'pathTaken' | 'gone'>> {
  try {
    return await database.transaction(async (tx) => {
      const group = await readAgain(tx, caller, groupId);
      if (group === null) return refused('gone');
      const { name_before_deletion: name, path_before_deletion: path } = group;
      if (name === null || path === null) return refused('notMarked');
      const parent = await parentPlace(tx, group);
      if (!(await isPathFree(tx, childOf(parent, path, name).full_path, group.id))) return refused('pathTaken');
      const unmarked = {
        name_before_deletion: null,
        path_before_deletion: null,
        archived: false,
        marked_for_deletion_on: null,
      };
      await rename(tx, facts, group, { name, path }, unmarked);
      return null;
    });
  } catch (error) {
    if (isPathTaken(error)) return refused('pathTaken');
    throw error;
  }
}

/** Destroys a marked subgroup right away; `fullPath` must name it exactly as it is now. */
export async function deleteAtOnce(
  { database, ...surroundings }: Rooms,
  caller: SignedIn,
  groupId: number,
  fullPath: string | null | undefined,
): Promise<null | Refused<DeletionRefusal>> {
  return database.transaction(async (tx) => {
    const group = await readAgain(tx, caller, groupId);
    if (group === null) return refused('gone');
    if (group.parent_id === null) return refused('rootNotAtOnce');
    if (group.marked_for_deletion_on === null) return refused('notMarked');
    if (group.full_path !== fullPath) return refused('wrongPath');
    await destroyGroup(tx, surroundings, caller, group);
    return null;
  });
}

const readAgain = (tx: Transaction, caller: SignedIn, id: number) => findGroup(tx, caller, String(id));

async function parentPlace(db: Reader, { parent_id }: Pick<Group, 'parent_id'>) {
  return parent_id === null ? null : placeOfNamespace(db, parent_id);
}

interface Marks {
  readonly name_before_deletion: string | null;
  readonly path_before_deletion: string | null;
  readonly archived: boolean;
  readonly marked_for_deletion_on: string | null;
}

async function rename(
  tx: Transaction,
  facts: Surroundings['facts'],
  group: Group,
  { name, path }: { readonly name: string; readonly path: string },
  marks: Marks,
): Promise<void> {
  const row = { name, name_key: foldCase(name), path, ...marks, updated_at: tx.now };
  await tx.updateTable('namespaces').set(row).where('id', '=', group.id).execute();
  await moveGroup(tx, facts, group.id, childOf(await parentPlace(tx, group), path, name));
}

/** index: namespace_closure_pkey */
async function isBelowMarked(db: Reader, groupId: number): Promise<boolean> {
  const marked = await db
    .selectFrom('namespace_closure')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .select('namespaces.id')
    .where('namespace_closure.descendant_id', '=', groupId)
    .where('namespace_closure.depth', '>', 0)
    .where('namespaces.marked_for_deletion_on', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return marked !== undefined;
}
