import type { RuleEntry } from '../../../access/branches.ts';
import { isLive } from '../../../access/live.ts';
import type { StoredRule } from '../../../access/protected-branches.ts';
import { today } from '../../../clock.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { isAmong } from '../../../database/dialect.ts';
import type { EntryNames } from './entities.ts';

/** What the entries of these rules are called. */
export async function entryNames(db: Reader, rules: readonly StoredRule[]): Promise<EntryNames> {
  const entries: RuleEntry[] = rules.flatMap(({ push, merge, unprotect }) => [...push, ...merge, ...unprotect]);
  const users = ids(entries, 'user_id');
  const groups = ids(entries, 'group_id');
  const [userRows, groupRows] = await Promise.all([
    users.length === 0 ? [] : db.selectFrom('users').select(['id', 'name']).where('id', 'in', users).execute(),
    groups.length === 0 ? [] : db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', groups).execute(),
  ]);
  return { users: namesById(userRows), groups: namesById(groupRows) };
}

function ids(entries: readonly RuleEntry[], key: 'user_id' | 'group_id'): number[] {
  return [...new Set(entries.flatMap((entry) => entry[key] ?? []))];
}

function namesById(rows: readonly { id: number; name: string }[]): Map<number, string> {
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Those of these users who are members of the project, directly or from a group above. */
export async function membersAmong(
  tx: Transaction,
  project: { readonly id: number; readonly namespace_id: number },
  userIds: readonly number[],
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  const day = today({ now: () => new Date(tx.now) });
  // index: memberships_by_source, namespace_closure_pkey
  const rows = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where((eb) => isAmong(tx, eb.ref('user_id'), userIds))
    .where(isLive('expires_at', day))
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

export async function deleteRule(tx: Transaction, id: number): Promise<boolean> {
  const gone = await tx.deleteFrom('protected_branches').where('id', '=', id).returning('id').executeTakeFirst();
  return gone !== undefined;
}
