import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import {
  type DefaultBranchProtection,
  FULL_PROTECTION,
  findProtectionLevel,
  getProtectionForLevel,
  PROTECTION_LEVELS,
  type ProtectionLevel,
} from '#domain/namespaces/default-branch-protection.ts';
import type { GroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { arrayOf, boolean, integerIn } from '#http/parameters/types.ts';

/** A group's default protection of default branches in new projects (contract/planning.md §1 "Group"). */

/** Role that may push or merge; 0 means nobody. */
const accessLevel = required(integerIn([0, DEVELOPER, MAINTAINER, INSTANCE_ADMIN]));
const accessLevels = optional(withoutDuplicates(arrayOf(object({ access_level: accessLevel }))));

/** Type of the older parameter: a number, as in the instance setting. */
export const protectionLevel = integerIn(PROTECTION_LEVELS) as ParameterType<ProtectionLevel>;

/** Type of the detailed parameter. Omitted fields get their values from FULL_PROTECTION. */
export const branchProtection: ParameterType<DefaultBranchProtection> = withDefaults(
  object({
    allowed_to_push: accessLevels,
    allow_force_push: optional(boolean),
    allowed_to_merge: accessLevels,
    code_owner_approval_required: optional(boolean),
    developer_can_initial_push: optional(boolean),
  }),
);

type Levels = DefaultBranchProtection['allowed_to_push'];

/** Returns the parameter type without duplicate roles. */
function withoutDuplicates(type: ParameterType<Levels>): ParameterType<Levels> {
  return {
    ...type,
    read(raw, name, problems) {
      const roles = type.read(raw, name, problems);
      return roles && [...new Map(roles.map((entry) => [entry.access_level, entry])).values()];
    },
  };
}

type PartialProtection = {
  readonly [Key in keyof DefaultBranchProtection]?: DefaultBranchProtection[Key] | null | undefined;
};

/** Adds the values of FULL_PROTECTION for omitted fields. An object without values counts as null. */
function withDefaults(type: ParameterType<PartialProtection>): ParameterType<DefaultBranchProtection> {
  return {
    ...type,
    valueForNull: undefined as never,
    read(raw, name, problems) {
      const parsedSettings = type.read(raw, name, problems);
      if (parsedSettings === null) return null;
      const specifiedEntries = Object.entries(parsedSettings).filter(
        ([, value]) => value !== null && value !== undefined,
      );
      return specifiedEntries.length === 0 ? null : { ...FULL_PROTECTION, ...Object.fromEntries(specifiedEntries) };
    },
  };
}

type ProtectionAttributes = Pick<GroupAttributes, 'default_branch_protection' | 'default_branch_protection_defaults'>;

/** Merges the two parameters for the protection. The detailed one takes precedence; null in either one resets both. */
export function toProtectionChanges(
  attributes: { readonly [Name in keyof ProtectionAttributes]?: ProtectionAttributes[Name] | undefined },
): Partial<ProtectionAttributes> {
  const { default_branch_protection: level, default_branch_protection_defaults: protection } = attributes;
  if (protection != null) {
    return {
      default_branch_protection: level ?? findProtectionLevel(protection),
      default_branch_protection_defaults: protection,
    };
  }
  if (level != null) {
    return { default_branch_protection: level, default_branch_protection_defaults: getProtectionForLevel(level) };
  }
  const isReset = level === null || protection === null;
  return isReset ? { default_branch_protection: null, default_branch_protection_defaults: null } : {};
}
