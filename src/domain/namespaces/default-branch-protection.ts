import { DEVELOPER, MAINTAINER } from '../members/roles.ts';

/**
 * What the branch that comes to exist first in an empty repository is protected by (contract/repository.md §2): the
 * instance's setting `default_branch_protection` says it, or the group that a project is made in. In the form of the wire.
 */
export interface DefaultProtection {
  readonly allowed_to_push: readonly LeastRole[];
  readonly allow_force_push: boolean;
  readonly allowed_to_merge: readonly LeastRole[];
  readonly code_owner_approval_required: boolean;
  readonly developer_can_initial_push: boolean;
}

/** 0 admits nobody, 60 administrators only. */
interface LeastRole {
  readonly access_level: number;
}

/** The setting's values: none, developers push, full, developers merge only, full but developers push first. */
export const PROTECTION_LEVELS = [0, 1, 2, 3, 4] as const;
export type ProtectionLevel = (typeof PROTECTION_LEVELS)[number];

export const FULL: DefaultProtection = {
  allowed_to_push: [{ access_level: MAINTAINER }],
  allow_force_push: false,
  allowed_to_merge: [{ access_level: MAINTAINER }],
  code_owner_approval_required: false,
  developer_can_initial_push: false,
};

const DEVELOPERS = [{ access_level: DEVELOPER }];

const BY_LEVEL: Readonly<Record<ProtectionLevel, DefaultProtection>> = {
  0: { ...FULL, allowed_to_push: DEVELOPERS, allowed_to_merge: DEVELOPERS, allow_force_push: true },
  1: { ...FULL, allowed_to_push: DEVELOPERS },
  2: FULL,
  3: { ...FULL, allowed_to_merge: DEVELOPERS },
  4: { ...FULL, developer_can_initial_push: true },
};

export function protectionOfLevel(level: ProtectionLevel): DefaultProtection {
  return BY_LEVEL[level];
}

/** The value of the setting that says the same; null where none does. */
export function levelOfProtection(protection: DefaultProtection): ProtectionLevel | null {
  return PROTECTION_LEVELS.find((level) => isSame(BY_LEVEL[level], protection)) ?? null;
}

/** It leaves the branch to every Developer. */
export function isOpen(protection: DefaultProtection): boolean {
  return isSame(protection, BY_LEVEL[0]);
}

/** May a Developer make the first push? */
export function developersBegin(protection: DefaultProtection): boolean {
  return (
    protection.developer_can_initial_push ||
    protection.allowed_to_push.some(({ access_level }) => access_level === DEVELOPER)
  );
}

const KEYS = Object.keys(FULL) as (keyof DefaultProtection)[];

function isSame(one: DefaultProtection, other: DefaultProtection): boolean {
  return KEYS.every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]));
}
