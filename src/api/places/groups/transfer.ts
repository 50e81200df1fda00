import { mayCreateSubgroupIn } from '../../../access/creation.ts';
import { findGroup, type Group } from '../../../access/groups.ts';
import { moveClosure } from '../../../access/namespaces.ts';
import { childOf, isPathTaken } from '../../../access/routes.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isReservedName } from '../../../identity/usernames.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { Surroundings } from './audited.ts';
import { mayCreateGroups } from './create.ts';
import { isPathFree, isTooDeep, moveGroup } from './places.ts';
import { lowerVisibility } from './visibility.ts';

export type TransferRefusal =
  | 'isRoot'
  | 'sameParent'
  | 'intoItself'
  | 'pathTaken'
  | 'tooDeep'
  | 'noPermission'
  | 'gone';

/**
 * Hangs a group under another parent, or puts it at the top level. Nothing in it stays more visible than the new parent
 * (contract/planning.md §3.1).
 */
export async function transferGroup(
  { database, ...surroundings }: Surroundings & { readonly database: Database },
  caller: SignedIn,
  group: Group,
  target: Group | null,
): Promise<null | Refused<TransferRefusal>> {
  try {
    return await database.transaction((tx) => transfer(tx, surroundings, caller, { group, target }));
  } catch (error) {
    if (isPathTaken(error)) return refused('pathTaken');
    throw error;
  }
}

interface Move {
  readonly group: Group;
  readonly target: Group | null;
}

async function transfer(
  tx: Transaction,
  { config, facts }: Surroundings,
  caller: SignedIn,
  seen: Move,
): Promise<null | Refused<TransferRefusal>> {
  const move = await readAgain(tx, caller, seen);
  if (move === null) return refused('gone');
  const refusal = await whyNot(tx, caller, move);
  if (refusal !== null) return refused(refusal);
  const { group, target } = move;
  await tx
    .updateTable('namespaces')
    .set({ parent_id: target?.id ?? null, updated_at: tx.now })
    .where('id', '=', group.id)
    .execute();
  await moveClosure(tx, group.id, target?.id ?? null);
  await moveGroup(tx, facts, group.id, childOf(target, group.path, group.name));
  if (target !== null) await lowerVisibility(tx, { caller, tier: config.tier }, group.id, target.visibility);
  return null;
}

async function readAgain(tx: Transaction, caller: SignedIn, { group, target }: Move): Promise<Move | null> {
  const today = tx.now.slice(0, 10);
  const groupNow = await findGroup(tx, caller, String(group.id));
  const targetNow = target === null ? null : await findGroup(tx, caller, String(target.id));
  if (groupNow === null || (target !== null && targetNow === null)) return null;
  return { group: groupNow, target: targetNow };
}

async function whyNot(tx: Transaction, caller: SignedIn, { group, target }: Move): Promise<TransferRefusal | null> {
  if (target === null && group.parent_id === null) return 'isRoot';
  if (target !== null && group.parent_id === target.id) return 'sameParent';
  if (target !== null && (await isInside(tx, target.id, group.id))) return 'intoItself';
  const allowed = target === null ? await mayCreateGroups(tx, caller) : mayCreateSubgroupIn(caller, target);
  if (!allowed) return 'noPermission';
  if (target === null && isReservedName(group.path)) return 'pathTaken';
  const place = childOf(target, group.path, group.name);
  if (!(await isPathFree(tx, place.full_path, group.id))) return 'pathTaken';
  return (await isTooDeep(tx, place, group.id)) ? 'tooDeep' : null;
}

/** index: namespace_closure_pkey */
async function isInside(tx: Transaction, groupId: number, ancestorId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('namespace_closure')
    .select('depth')
    .where('descendant_id', '=', groupId)
    .where('ancestor_id', '=', ancestorId)
    .executeTakeFirst();
  return found !== undefined;
}
