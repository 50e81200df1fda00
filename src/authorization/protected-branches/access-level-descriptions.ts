import type { Reader } from '#database/database.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import { type AccessDescriber, loadAccessDescriber } from '../access-level-descriptions.ts';
import type { ProtectionRule } from './branch-rules.ts';

/** Descriptions of access levels of protected branches (contract/repository.md §3 "Descriptions"). */

/** Access level that allows nobody. */
export const NO_ONE = 0;

const ROLE_TEXTS: Readonly<Record<number, string>> = {
  [NO_ONE]: 'No one',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Instance admins',
};

/** Returns a function that describes the access levels of these rules. */
export function loadBranchAccessDescriber(
  db: Reader,
  rules: readonly Pick<ProtectionRule, 'push' | 'merge' | 'unprotect'>[],
): Promise<AccessDescriber> {
  const entries = rules.flatMap(({ push, merge, unprotect }) => [...push, ...merge, ...unprotect]);
  return loadAccessDescriber(ROLE_TEXTS, db, entries);
}
