import { DEVELOPER, MAINTAINER } from '../members/roles.ts';

/**
 * Protection of the first branch of an empty repository (contract/repository.md §2), from the instance setting
 * `default_branch_protection` or from the project's group. The properties are those of the API.
 */
export interface DefaultBranchProtection {
  readonly allowed_to_push: readonly MinimumRole[];
  readonly allow_force_push: boolean;
  readonly allowed_to_merge: readonly MinimumRole[];
  readonly code_owner_approval_required: boolean;
  readonly developer_can_initial_push: boolean;
}

/** Minimum role of the users who are allowed: 0 allows nobody, 60 only administrators. */
interface MinimumRole {
  readonly access_level: number;
}

/**
 * Values of the setting: 0 none, 1 developers may push, 2 full, 3 developers may merge, 4 full after a developer's
 * first push.
 */
export const PROTECTION_LEVELS = [0, 1, 2, 3, 4] as const;
export type ProtectionLevel = (typeof PROTECTION_LEVELS)[number];

export const FULL_PROTECTION: DefaultBranchProtection = {
  allowed_to_push: [{ access_level: MAINTAINER }],
  allow_force_push: false,
  allowed_to_merge: [{ access_level: MAINTAINER }],
  code_owner_approval_required: false,
  developer_can_initial_push: false,
};

const DEVELOPERS_AND_ABOVE = [{ access_level: DEVELOPER }];

const PROTECTION_BY_LEVEL: Readonly<Record<ProtectionLevel, DefaultBranchProtection>> = {
  0: {
    ...FULL_PROTECTION,
    allowed_to_push: DEVELOPERS_AND_ABOVE,
    allowed_to_merge: DEVELOPERS_AND_ABOVE,
    allow_force_push: true,
  },
  1: { ...FULL_PROTECTION, allowed_to_push: DEVELOPERS_AND_ABOVE },
  2: FULL_PROTECTION,
  3: { ...FULL_PROTECTION, allowed_to_merge: DEVELOPERS_AND_ABOVE },
  4: { ...FULL_PROTECTION, developer_can_initial_push: true },
};

/** Returns the protection for a value of the setting. */
export function getProtectionForLevel(level: ProtectionLevel): DefaultBranchProtection {
  return PROTECTION_BY_LEVEL[level];
}

/** Returns the value of the setting with the same protection, or null. */
export function findProtectionLevel(protection: DefaultBranchProtection): ProtectionLevel | null {
  return PROTECTION_LEVELS.find((level) => isSame(PROTECTION_BY_LEVEL[level], protection)) ?? null;
}

/** Returns whether every Developer may push, force-push and merge. */
export function isUnprotected(protection: DefaultBranchProtection): boolean {
  return isSame(protection, PROTECTION_BY_LEVEL[0]);
}

/** Returns whether a Developer may push first into an empty repository. */
export function developersMayPushFirst(protection: DefaultBranchProtection): boolean {
  return (
    protection.developer_can_initial_push ||
    protection.allowed_to_push.some(({ access_level }) => access_level === DEVELOPER)
  );
}

const KEYS = Object.keys(FULL_PROTECTION) as (keyof DefaultBranchProtection)[];

function isSame(one: DefaultBranchProtection, other: DefaultBranchProtection): boolean {
  return KEYS.every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]));
}
