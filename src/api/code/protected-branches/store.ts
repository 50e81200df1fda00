import type { CreateAccessLevelInput } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { isActiveMembership } from '#domain/members/roles.ts';

/** Returns the users among these ids who are members of the project or of a group above it. */
export async function findMemberIds(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
  userIds: readonly number[],
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  // index: memberships_by_source, namespace_closure_pkey
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where((eb) => isInIds(db, eb.ref('user_id'), userIds))
    .where(isActiveMembership('expires_at', db.today))
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

/** Updates columns of a rule, at least its timestamp. index: protected_branches primary key */
export async function updateRuleRow(
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

/** Deletes a rule. Returns whether it existed. */
export async function deleteRule(tx: Transaction, id: number): Promise<boolean> {
  const deletedRow = await tx.deleteFrom('protected_branches').where('id', '=', id).returning('id').executeTakeFirst();
  return deletedRow !== undefined;
}

const LEVELS_TABLE = 'protected_branch_access_levels';

/** Returns the entries for a user, with their projects. index: protected_branch_levels_of_user */
export function listLevelsOfUser(db: Reader, userId: number) {
  return db
    .selectFrom('protected_branch_access_levels as level')
    .innerJoin('protected_branches as rule', 'rule.id', 'level.protected_branch_id')
    .innerJoin('projects', 'projects.id', 'rule.project_id')
    .select(['level.id as entry_id', 'projects.id', 'projects.namespace_id'])
    .where('level.user_id', '=', userId)
    .orderBy('level.id')
    .execute();
}

/** Deletes entries of rules. index: protected_branch_access_levels primary key */
export async function deleteLevels(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom(LEVELS_TABLE).where('id', 'in', ids).execute();
}

/** Updates the role, user or group of an entry. index: protected_branch_access_levels primary key */
export async function updateLevel(
  tx: Transaction,
  { id, ...level }: CreateAccessLevelInput & { readonly id: number },
): Promise<void> {
  await tx.updateTable(LEVELS_TABLE).set(level).where('id', '=', id).execute();
}

/** Inserts levels that the rule does not have yet. */
export async function insertLevels(
  tx: Transaction,
  ruleId: number,
  levels: readonly CreateAccessLevelInput[],
): Promise<void> {
  if (levels.length === 0) return;
  await tx
    .insertInto(LEVELS_TABLE)
    .values(levels.map((level) => ({ ...level, protected_branch_id: ruleId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
