import type { Reader } from '#database/database.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import { type Describe, describingWith } from '../access-level-descriptions.ts';
import type { ProtectionRule } from './branch-rules.ts';

/** What the entries of protection rules are called (contract/repository.md §3 "Descriptions"). */

/** Admits nobody. */
export const NO_ONE = 0;

const ROLE_TEXTS: Readonly<Record<number, string>> = {
  [NO_ONE]: 'No one',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Instance admins',
};

/** Knows the words for all entries of these rules. */
export function describingEntries(
  db: Reader,
  rules: readonly Pick<ProtectionRule, 'push' | 'merge' | 'unprotect'>[],
): Promise<Describe> {
  const entries = rules.flatMap(({ push, merge, unprotect }) => [...push, ...merge, ...unprotect]);
  return describingWith(ROLE_TEXTS, db, entries);
}
