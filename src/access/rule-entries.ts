import type { Reader } from '../database/database.ts';
import type { ProtectionRule, RuleEntry } from './branches.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from './roles.ts';

/** What the entries of protection rules are called (contract/repository.md §3 "Descriptions"). */

/** Admits nobody. */
export const NO_ONE = 0;

const ROLE_TEXTS: Readonly<Record<number, string>> = {
  [NO_ONE]: 'No one',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Instance admins',
};

/** Names of the users and groups that entries admit, by id. */
export interface EntryNames {
  readonly users: ReadonlyMap<number, string>;
  readonly groups: ReadonlyMap<number, string>;
}

/** What the entries of these rules are called. index: users primary key, namespaces primary key */
export async function entryNames(
  db: Reader,
  rules: readonly Pick<ProtectionRule, 'push' | 'merge' | 'unprotect'>[],
): Promise<EntryNames> {
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

/** Whom an entry admits, in words. */
export function describeEntry(entry: Omit<RuleEntry, 'id'>, names: EntryNames): string {
  if (entry.user_id !== null) return names.users.get(entry.user_id) ?? '';
  if (entry.group_id !== null) return names.groups.get(entry.group_id) ?? '';
  return ROLE_TEXTS[entry.access_level] ?? '';
}
