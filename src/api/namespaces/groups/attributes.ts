import type { TSchema } from 'typebox';
import { isAdministrator } from '#authentication/caller.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import {
  type DefaultBranchProtection,
  FULL_PROTECTION,
  findProtectionLevel,
  getProtectionForLevel,
  PROTECTION_LEVELS,
  type ProtectionLevel,
} from '#domain/namespaces/default-branch-protection.ts';
import { DEFAULT_GROUP_ATTRIBUTES, type GroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { nullable, responseField } from '#http/endpoint/responses.ts';
import { describe, object, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { refName } from '#http/parameters/texts.ts';
import { anyValue, arrayOf, boolean, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { validateArtifactSize, validateDefaultBranch, validateUnsupportedAttribute } from '../projects/index.ts';

// The default protection of default branches in new projects of a group (contract/planning.md §1 "Group").

/** Lowest role that may push or merge; 0 means nobody. */
const accessLevel = required(integerIn([0, DEVELOPER, MAINTAINER, INSTANCE_ADMIN]));
const accessLevels = optional(withoutDuplicates(arrayOf(object({ access_level: accessLevel }))));

/** Type of `default_branch_protection`, the older parameter: a number, as in the setting of the instance. */
const protectionLevel = integerIn(PROTECTION_LEVELS) as ParameterType<ProtectionLevel>;

/** Type of `default_branch_protection_defaults`, the detailed parameter. Omitted fields get their values from FULL_PROTECTION. */
const branchProtection: ParameterType<DefaultBranchProtection> = withDefaults(
  object({
    allowed_to_push: accessLevels,
    allow_force_push: optional(boolean),
    allowed_to_merge: accessLevels,
    code_owner_approval_required: optional(boolean),
    developer_can_initial_push: optional(boolean),
  }),
);

/** The roles that may push or merge, each in an object. */
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

/** The detailed parameter before the values of omitted fields are added. */
type PartialProtection = {
  readonly [Key in keyof DefaultBranchProtection]?: DefaultBranchProtection[Key] | null | undefined;
};

/** Adds the values of FULL_PROTECTION for omitted fields. An object without values counts as null. */
function withDefaults({
  valueForNull: _,
  ...type
}: ParameterType<PartialProtection>): ParameterType<DefaultBranchProtection> {
  return {
    ...type,
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
function toProtectionChanges(
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

/**
 * The attributes of groups (contract/planning.md §3.1 "Group attributes"): their parameters and the entities that
 * contain them.
 */

/** Declaration of an attribute: its parser, and the entity that contains it. */
interface GroupAttribute<T> {
  readonly type: ParameterType<NonNullable<T>>;
  /**
   * Which entity contains it: `group` (lists too), `detail`, `root` (details of top-level groups), or `computed`
   * (the entity derives the field itself).
   */
  readonly includedIn: 'group' | 'detail' | 'root' | 'computed';
  /** Whether null is a value; otherwise null means the default. */
  readonly nullable: boolean;
  /** Ignored unless the caller is an administrator. */
  readonly administratorOnly?: true;
  /** Ignored on tier free. */
  readonly premiumOnly?: true;
}

type AttributeEntity = GroupAttribute<never>['includedIn'];
/** An attribute whose type can contain null. */
type TypedAttribute<T> = Omit<GroupAttribute<T>, 'type'> & { readonly type: ParameterType<T> };

const attribute = <T>(type: ParameterType<T>, entity: AttributeEntity = 'group'): TypedAttribute<T> => ({
  type,
  includedIn: entity,
  nullable: false,
});
const nullableAttribute = <T>(type: ParameterType<T>, entity: AttributeEntity = 'group'): TypedAttribute<T> => ({
  type,
  includedIn: entity,
  nullable: true,
});
const premiumAttribute = <T>(type: ParameterType<T>): TypedAttribute<T> => ({
  ...attribute(type, 'detail'),
  premiumOnly: true,
});
const administratorAttribute = <T>(type: ParameterType<T>, entity: AttributeEntity): TypedAttribute<T> => ({
  ...nullableAttribute(type, entity),
  administratorOnly: true,
});

/** All attributes of groups, in the order of the contract. */
const ATTRIBUTES = {
  project_creation_level: attribute(oneOf('noone', 'administrator', 'owner', 'maintainer', 'developer')),
  subgroup_creation_level: attribute(oneOf('owner', 'maintainer')),
  default_branch: nullableAttribute(refName),
  default_branch_protection: nullableAttribute(protectionLevel, 'computed'),
  default_branch_protection_defaults: nullableAttribute(branchProtection, 'computed'),
  membership_lock: attribute(boolean, 'detail'),
  share_with_group_lock: attribute(boolean),
  prevent_sharing_groups_outside_hierarchy: attribute(boolean, 'root'),
  prevent_forking_outside_group: attribute(boolean, 'detail'),
  require_two_factor_authentication: attribute(boolean),
  two_factor_grace_period: attribute(integerIn({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  request_access_enabled: attribute(boolean),
  lfs_enabled: attribute(boolean),
  emails_enabled: attribute(boolean),
  mentions_disabled: nullableAttribute(boolean),
  shared_runners_setting: attribute(oneOf('enabled', 'disabled_and_overridable', 'disabled_and_unoverridable')),
  allow_runner_registration_token: attribute(boolean, 'root'),
  wiki_access_level: attribute(oneOf('disabled', 'private', 'enabled')),
  auto_devops_enabled: nullableAttribute(boolean),
  show_diff_preview_in_email: attribute(boolean),
  math_rendering_limits_enabled: attribute(boolean),
  lock_math_rendering_limits_enabled: attribute(boolean),
  max_artifacts_size: administratorAttribute(integer, 'group'),
  only_allow_merge_if_pipeline_succeeds: premiumAttribute(boolean),
  allow_merge_on_skipped_pipeline: premiumAttribute(boolean),
  only_allow_merge_if_all_discussions_are_resolved: premiumAttribute(boolean),
  shared_runners_minutes_limit: administratorAttribute(integer, 'detail'),
  extra_shared_runners_minutes_limit: administratorAttribute(integer, 'detail'),
  file_template_project_id: nullableAttribute(integer),
} as const satisfies { readonly [Name in keyof GroupAttributes]: GroupAttribute<GroupAttributes[Name]> };

type Name = keyof GroupAttributes;
const attributeNames = Object.keys(ATTRIBUTES) as Name[];

/** Unsupported attributes with the values that are accepted in addition to false, 0 and empty ones, which switch a feature off. */
const UNSUPPORTED_ATTRIBUTES = {
  ip_restriction_ranges: [],
  allowed_email_domains_list: [],
  unique_project_download_limit: [],
  auto_ban_user_on_excessive_projects_download: [],
  enabled_git_access_protocol: ['all', 'http'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type UnsupportedName = keyof typeof UNSUPPORTED_ATTRIBUTES;
const unsupportedNames = Object.keys(UNSUPPORTED_ATTRIBUTES) as UnsupportedName[];

const STORED_ONLY = 'Stored and returned, but has no effect.';
/** Description of attributes that also decide for the projects below. */
const IN_ALL_PROJECTS = 'Premium: if true, it applies to all projects below, regardless of their own settings.';

/** Sentences of the API documentation about attributes whose names are not sufficient. */
const ATTRIBUTE_DESCRIPTIONS: { readonly [N in Name]?: string } = {
  project_creation_level: 'Lowest role that may create projects in the group.',
  subgroup_creation_level: 'Lowest role that may create subgroups.',
  default_branch: 'Name of the default branch of new projects; null means `main`.',
  default_branch_protection:
    'Deprecated: use `default_branch_protection_defaults`. Null takes the setting of the instance.',
  default_branch_protection_defaults:
    'Protection of the default branches of new projects; null takes the setting of the instance.',
  membership_lock: STORED_ONLY,
  share_with_group_lock: STORED_ONLY,
  prevent_sharing_groups_outside_hierarchy: STORED_ONLY,
  prevent_forking_outside_group: STORED_ONLY,
  require_two_factor_authentication: STORED_ONLY,
  two_factor_grace_period: STORED_ONLY,
  request_access_enabled: STORED_ONLY,
  lfs_enabled: 'Whether projects below can use Git LFS.',
  emails_enabled: 'Whether activity in the group and below causes mails.',
  mentions_disabled: STORED_ONLY,
  shared_runners_setting:
    'Whether projects below can use runners of the instance; `disabled_and_unoverridable` forbids it.',
  allow_runner_registration_token: 'Whether runners can register with a token; ignored for subgroups.',
  auto_devops_enabled: STORED_ONLY,
  show_diff_preview_in_email: STORED_ONLY,
  math_rendering_limits_enabled: STORED_ONLY,
  lock_math_rendering_limits_enabled: STORED_ONLY,
  max_artifacts_size: 'Largest artifact archive in MiB; ignored unless an administrator sends it.',
  only_allow_merge_if_pipeline_succeeds: IN_ALL_PROJECTS,
  allow_merge_on_skipped_pipeline: IN_ALL_PROJECTS,
  only_allow_merge_if_all_discussions_are_resolved: IN_ALL_PROJECTS,
  shared_runners_minutes_limit: STORED_ONLY,
  extra_shared_runners_minutes_limit: STORED_ONLY,
  file_template_project_id: STORED_ONLY,
};

function toParameter(name: Name): Parameter<unknown, 'optional'> {
  const param = optional(ATTRIBUTES[name].type as ParameterType<unknown>);
  const description = ATTRIBUTE_DESCRIPTIONS[name];
  return description === undefined ? param : describe(param, description);
}

/** The parameters of POST and PUT, with `emails_disabled`, the former inverse of `emails_enabled`. */
export const groupAttributeParams = {
  ...(Object.fromEntries(attributeNames.map((name) => [name, toParameter(name)])) as {
    readonly [N in Name]: Parameter<NonNullable<GroupAttributes[N]>, 'optional'>;
  }),
  emails_disabled: describe(optional(boolean), 'Deprecated: the inverse of `emails_enabled`.'),
  ...(Object.fromEntries(
    unsupportedNames.map((name) => [
      name,
      describe(optional(anyValue), 'Not supported: only values that switch it off are accepted.'),
    ]),
  ) as {
    readonly [N in UnsupportedName]: Parameter<unknown, 'optional'>;
  }),
};

/** The attributes in a request; absent ones stay unchanged. */
export type GroupAttributeInput = { readonly [N in Name]?: GroupAttributes[N] | null | undefined } & {
  readonly emails_disabled?: boolean | null | undefined;
} & { readonly [N in UnsupportedName]?: unknown };

/**
 * Converts the input to changes of the stored attributes. Ignores root attributes of subgroups,
 * administrator attributes from other callers, and premium attributes on tier free.
 */
export function toAttributeChanges(
  input: GroupAttributeInput,
  { actor, tier }: Pick<UnitOfWork, 'actor' | 'tier'>,
  isTopLevel: boolean,
): Partial<GroupAttributes> {
  const { emails_disabled: disabled, emails_enabled: enabled = disabled == null ? disabled : !disabled } = input;
  const attributeInput: GroupAttributeInput = { ...input, emails_enabled: enabled };
  const maySet = (attribute: GroupAttribute<never>) =>
    (isTopLevel || attribute.includedIn !== 'root') &&
    (!attribute.administratorOnly || isAdministrator(actor)) &&
    (!attribute.premiumOnly || tier !== 'free');
  const settableNames = attributeNames.filter(
    (name) => attributeInput[name] !== undefined && maySet(ATTRIBUTES[name] as GroupAttribute<never>),
  );
  // Empty text counts as null.
  const changes = settableNames.map((name) => [
    name,
    attributeInput[name] === '' ? null : (attributeInput[name] ?? getValueWhenCleared(name)),
  ]);
  return { ...Object.fromEntries(changes), ...toProtectionChanges(input) };
}

/** Returns the value that a null in the input stands for: null itself if it is allowed, otherwise the default. */
function getValueWhenCleared(name: Name): unknown {
  return ATTRIBUTES[name].nullable ? null : DEFAULT_GROUP_ATTRIBUTES[name];
}

/** Returns the errors of the input. `changes`: the result of `toAttributeChanges`. */
export function validateGroupAttributes(input: GroupAttributeInput, changes: Partial<GroupAttributes>): FieldErrors {
  const { default_branch: branch, max_artifacts_size: size } = changes;
  const unsupportedErrors = unsupportedNames.map((name) =>
    validateUnsupportedAttribute(name, input[name], ...UNSUPPORTED_ATTRIBUTES[name]),
  );
  return Object.assign(
    {},
    validateDefaultBranch(branch),
    size == null ? {} : validateArtifactSize(size),
    ...unsupportedErrors,
  );
}

/** Returns the schema fields of the attributes that this entity contains. */
export function getAttributeFields(entity: AttributeEntity): Record<string, TSchema> {
  const fields = attributeNames
    .filter((name) => ATTRIBUTES[name].includedIn === entity)
    .map((name): [string, TSchema] => {
      const { type, nullable: mayBeNull } = ATTRIBUTES[name];
      const description = ATTRIBUTE_DESCRIPTIONS[name];
      const schema = responseField(type.schema);
      const describedSchema: TSchema = description === undefined ? schema : { ...schema, description };
      return [name, mayBeNull ? nullable(describedSchema) : describedSchema];
    });
  return Object.fromEntries(fields);
}

/** The attributes that entities copy. They derive the other two from several values. */
type TableAttributes = Omit<GroupAttributes, 'default_branch_protection' | 'default_branch_protection_defaults'>;

/** Returns the values of the attributes that this entity contains. */
export function pickIncludedAttributes(attributes: GroupAttributes, entity: AttributeEntity): Partial<TableAttributes> {
  return Object.fromEntries(
    attributeNames.filter((name) => ATTRIBUTES[name].includedIn === entity).map((name) => [name, attributes[name]]),
  );
}
