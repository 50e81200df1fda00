import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from '#domain/members/roles.ts';
import type { ProtectionRule } from './protected-branches/branch-rules.ts';

/** The user, group or role that an access level of a protected branch or environment allows. */
interface AccessPrincipal {
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
}

/** Returns the `access_level_description` of an access level. */
export type AccessDescriber = (principal: AccessPrincipal) => string;

// index: users primary key
const loadUserNames = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids));

// index: namespaces primary key
const loadGroupNames = prepareForIds((db, ids) =>
  db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', ids),
);

/**
 * Loads the names of these users and groups. Returns a function that describes a principal. `roles`: descriptions by role.
 */
async function loadAccessDescriber(
  roles: Readonly<Record<number, string>>,
  db: Reader,
  principals: readonly AccessPrincipal[],
): Promise<AccessDescriber> {
  const collectIds = (key: 'user_id' | 'group_id') => [
    ...new Set(principals.flatMap((principal) => principal[key] ?? [])),
  ];
  const userNamesById = toNamesById(await loadUserNames(db, collectIds('user_id')));
  const groupNamesById = toNamesById(await loadGroupNames(db, collectIds('group_id')));
  return ({ access_level, user_id, group_id }) => {
    if (user_id !== null) return userNamesById.get(user_id) ?? '';
    if (group_id !== null) return groupNamesById.get(group_id) ?? '';
    return roles[access_level ?? 0] ?? '';
  };
}

function toNamesById(rows: readonly { readonly id: number; readonly name: string }[]): Map<number, string> {
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Access level that allows nobody. */
export const NO_ONE = 0;

const BRANCH_ROLE_TEXTS: Readonly<Record<number, string>> = {
  [NO_ONE]: 'No one',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Instance admins',
};

/** Returns a function that describes the access levels of these rules (contract/repository.md §3 "Descriptions"). */
export function loadBranchAccessDescriber(
  db: Reader,
  rules: readonly Pick<ProtectionRule, 'push' | 'merge' | 'unprotect'>[],
): Promise<AccessDescriber> {
  const entries = rules.flatMap(({ push, merge, unprotect }) => [...push, ...merge, ...unprotect]);
  return loadAccessDescriber(BRANCH_ROLE_TEXTS, db, entries);
}

const ENVIRONMENT_ROLE_TEXTS: Readonly<Record<number, string>> = {
  [REPORTER]: 'Reporters + Developers + Maintainers',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Administrators',
};

/** Returns a function that describes these access levels of protected environments (contract/environments.md Part 2). */
export function loadEnvironmentAccessDescriber(
  db: Reader,
  principals: readonly AccessPrincipal[],
): Promise<AccessDescriber> {
  return loadAccessDescriber(ENVIRONMENT_ROLE_TEXTS, db, principals);
}
