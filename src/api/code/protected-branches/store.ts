import type { NewLevel } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { isLive } from '#domain/members/membership-expiry.ts';

/** Those of these users who are members of the project, directly or from a group above. */
export async function membersAmong(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
  userIds: readonly number[],
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  // index: memberships_by_source, namespace_closure_pkey
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where((eb) => isAmong(db, eb.ref('user_id'), userIds))
    .where(isLive('expires_at', db.today))
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'project'), eb('source_id', '=', project.id)]),
        eb.and([
          eb('source_type', '=', 'group'),
          eb(
            'source_id',
            'in',
            eb.selectFrom('namespace_closure').select('ancestor_id').where('descendant_id', '=', project.namespace_id),
          ),
        ]),
      ]),
    )
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

export async function touchRule(
  tx: Transaction,
  id: number,
  changes: { allow_force_push?: boolean; code_owner_approval_required?: boolean },
): Promise<void> {
  await tx
    .updateTable('protected_branches')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** Was it there? */
export async function deleteRule(tx: Transaction, id: number): Promise<boolean> {
  const gone = await tx.deleteFrom('protected_branches').where('id', '=', id).returning('id').executeTakeFirst();
  return gone !== undefined;
}

const LEVELS = 'protected_branch_access_levels';

export async function removeLevels(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom(LEVELS).where('id', 'in', ids).execute();
}

export async function changeLevel(
  tx: Transaction,
  { id, ...level }: NewLevel & { readonly id: number },
): Promise<void> {
  await tx.updateTable(LEVELS).set(level).where('id', '=', id).execute();
}

/** Entries that the rule has already stay as they are. */
export async function addLevels(tx: Transaction, ruleId: number, levels: readonly NewLevel[]): Promise<void> {
  if (levels.length === 0) return;
  await tx
    .insertInto(LEVELS)
    .values(levels.map((level) => ({ ...level, protected_branch_id: ruleId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
