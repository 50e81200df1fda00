import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import {
  type DefaultProtection,
  FULL,
  levelOfProtection,
  PROTECTION_LEVELS,
  type ProtectionLevel,
  protectionOfLevel,
} from '#domain/namespaces/default-branch-protection.ts';
import type { GroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { hash, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { arrayOf, boolean, integerIn } from '#http/parameters/types.ts';

/** How a group says what the default branches of projects made in it are protected by (contract/planning.md §1 "Group"). */

const level = required(integerIn([0, DEVELOPER, MAINTAINER, INSTANCE_ADMIN]));
const levels = optional(eachOnce(arrayOf(hash({ access_level: level }))));

/** The old form, a value of the instance's setting. */
export const protectionLevel = integerIn(PROTECTION_LEVELS) as ParameterType<ProtectionLevel>;

/** What it leaves out is as in full protection. */
export const protection: ParameterType<DefaultProtection> = completed(
  hash({
    allowed_to_push: levels,
    allow_force_push: optional(boolean),
    allowed_to_merge: levels,
    code_owner_approval_required: optional(boolean),
    developer_can_initial_push: optional(boolean),
  }),
);

type Levels = DefaultProtection['allowed_to_push'];

/** A role that is named twice is one entry of the branch's rule. */
function eachOnce(type: ParameterType<Levels>): ParameterType<Levels> {
  return {
    ...type,
    read(raw, name, problems) {
      const given = type.read(raw, name, problems);
      return given && [...new Map(given.map((entry) => [entry.access_level, entry])).values()];
    },
  };
}

type Given = { readonly [Key in keyof DefaultProtection]?: DefaultProtection[Key] | null | undefined };

function completed(type: ParameterType<Given>): ParameterType<DefaultProtection> {
  return {
    ...type,
    blank: undefined as never,
    read(raw, name, problems) {
      const given = type.read(raw, name, problems);
      if (given === null) return null;
      const said = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
      return said.length === 0 ? null : { ...FULL, ...Object.fromEntries(said) };
    },
  };
}

type Both = Pick<GroupAttributes, 'default_branch_protection' | 'default_branch_protection_defaults'>;

/** Two names of one thing: what says more counts, and null of either takes both back. */
export function protectionChanges(given: { readonly [Name in keyof Both]?: Both[Name] | undefined }): Partial<Both> {
  const { default_branch_protection: level, default_branch_protection_defaults: whole } = given;
  if (whole != null) {
    return { default_branch_protection: level ?? levelOfProtection(whole), default_branch_protection_defaults: whole };
  }
  if (level != null) {
    return { default_branch_protection: level, default_branch_protection_defaults: protectionOfLevel(level) };
  }
  const unset = level === null || whole === null;
  return unset ? { default_branch_protection: null, default_branch_protection_defaults: null } : {};
}
