import type { TSchema } from 'typebox';
import { isAdministrator } from '#authentication/caller.ts';
import { GROUP_DEFAULTS, type GroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { fieldOf, nullable } from '#http/endpoint/responses.ts';
import { optional, type Parameter } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { refName } from '#http/parameters/texts.ts';
import { anything, boolean, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { artifactSizeErrors, branchErrors, guardErrors } from '../projects/index.ts';
import { protection, protectionChanges, protectionLevel } from './branch-protection.ts';

/** The attributes of groups (contract/planning.md §3.1 "Group attributes"): their parameters, and where they are shown. */

interface Attribute<T> {
  readonly type: ParameterType<NonNullable<T>>;
  /** In lists too, or in GroupDetail alone; of groups at the top level only; or the entity has its own way with it. */
  readonly shown: 'group' | 'detail' | 'root' | 'apart';
  /** null is a value of its own; elsewhere it stands for the default. */
  readonly nullable: boolean;
  /** Ignored when others than administrators send it. */
  readonly administrators?: true;
  /** Ignored where the tier is free. */
  readonly premium?: true;
}

type Shown = Attribute<never>['shown'];
type Typed<T> = Omit<Attribute<T>, 'type'> & { readonly type: ParameterType<T> };
const attribute = <T>(type: ParameterType<T>, shown: Shown = 'group'): Typed<T> => ({ type, shown, nullable: false });
const orNull = <T>(type: ParameterType<T>, shown: Shown = 'group'): Typed<T> => ({ type, shown, nullable: true });
const premium = <T>(type: ParameterType<T>): Typed<T> => ({ ...attribute(type, 'detail'), premium: true });
const administrators = <T>(type: ParameterType<T>, shown: Shown): Typed<T> => ({
  ...orNull(type, shown),
  administrators: true,
});

const ATTRIBUTES = {
  project_creation_level: attribute(oneOf('noone', 'administrator', 'owner', 'maintainer', 'developer')),
  subgroup_creation_level: attribute(oneOf('owner', 'maintainer')),
  default_branch: orNull(refName),
  default_branch_protection: orNull(protectionLevel, 'apart'),
  default_branch_protection_defaults: orNull(protection, 'apart'),
  membership_lock: attribute(boolean, 'detail'),
  share_with_group_lock: attribute(boolean),
  prevent_sharing_groups_outside_hierarchy: attribute(boolean, 'root'),
  prevent_forking_outside_group: attribute(boolean, 'detail'),
  require_two_factor_authentication: attribute(boolean),
  two_factor_grace_period: attribute(integerIn({ least: 0, most: Number.MAX_SAFE_INTEGER })),
  request_access_enabled: attribute(boolean),
  lfs_enabled: attribute(boolean),
  emails_enabled: attribute(boolean),
  mentions_disabled: orNull(boolean),
  shared_runners_setting: attribute(oneOf('enabled', 'disabled_and_overridable', 'disabled_and_unoverridable')),
  allow_runner_registration_token: attribute(boolean, 'root'),
  wiki_access_level: attribute(oneOf('disabled', 'private', 'enabled')),
  auto_devops_enabled: orNull(boolean),
  show_diff_preview_in_email: attribute(boolean),
  math_rendering_limits_enabled: attribute(boolean),
  lock_math_rendering_limits_enabled: attribute(boolean),
  max_artifacts_size: administrators(integer, 'group'),
  only_allow_merge_if_pipeline_succeeds: premium(boolean),
  allow_merge_on_skipped_pipeline: premium(boolean),
  only_allow_merge_if_all_discussions_are_resolved: premium(boolean),
  shared_runners_minutes_limit: administrators(integer, 'detail'),
  extra_shared_runners_minutes_limit: administrators(integer, 'detail'),
} as const satisfies { readonly [Name in keyof GroupAttributes]: Attribute<GroupAttributes[Name]> };

type Name = keyof GroupAttributes;
const names = Object.keys(ATTRIBUTES) as Name[];

/** What would guard something nothing here guards: refused unless it is off, or one of these. */
const GUARDS = {
  ip_restriction_ranges: [],
  allowed_email_domains_list: [],
  unique_project_download_limit: [],
  auto_ban_user_on_excessive_projects_download: [],
  enabled_git_access_protocol: ['all', 'http'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Guard = keyof typeof GUARDS;
const guards = Object.keys(GUARDS) as Guard[];

/** Their parameters of POST and PUT, with the old inverse of `emails_enabled`. */
export const attributeParams = {
  ...(Object.fromEntries(names.map((name) => [name, optional(ATTRIBUTES[name].type as ParameterType<unknown>)])) as {
    readonly [N in Name]: Parameter<NonNullable<GroupAttributes[N]>, 'optional'>;
  }),
  emails_disabled: optional(boolean),
  ...(Object.fromEntries(guards.map((name) => [name, optional(anything)])) as {
    readonly [N in Guard]: Parameter<unknown, 'optional'>;
  }),
};

export type AttributeParams = { readonly [N in Name]?: GroupAttributes[N] | null | undefined } & {
  readonly emails_disabled?: boolean | null | undefined;
} & { readonly [N in Guard]?: unknown };

/**
 * What a caller asks for as a change of what is stored; what is meant for top-level groups is ignored below them, what
 * only administrators set from others, what is premium on the free tier.
 */
export function attributeChanges(
  given: AttributeParams,
  { actor: by, tier }: Pick<UnitOfWork, 'actor' | 'tier'>,
  topLevel: boolean,
): Partial<GroupAttributes> {
  const { emails_disabled: disabled, emails_enabled: enabled = disabled == null ? disabled : !disabled } = given;
  const asked: AttributeParams = { ...given, emails_enabled: enabled };
  const maySet = (attribute: Attribute<never>) =>
    (topLevel || attribute.shown !== 'root') &&
    (!attribute.administrators || isAdministrator(by)) &&
    (!attribute.premium || tier !== 'free');
  const settable = names.filter((name) => asked[name] !== undefined && maySet(ATTRIBUTES[name] as Attribute<never>));
  const changes = settable.map((name) => [name, asked[name] === '' ? null : (asked[name] ?? blankOf(name))]);
  return { ...Object.fromEntries(changes), ...protectionChanges(given) };
}

function blankOf(name: Name): unknown {
  return ATTRIBUTES[name].nullable ? null : GROUP_DEFAULTS[name];
}

/** What is wrong with the attributes that a caller asks for; `changes`: those that are heard. */
export function attributeErrors(given: AttributeParams, changes: Partial<GroupAttributes>): FieldErrors {
  const { default_branch: branch, max_artifacts_size: size } = changes;
  const guarded = guards.map((name) => guardErrors(name, given[name], ...GUARDS[name]));
  return Object.assign({}, branchErrors(branch), size == null ? {} : artifactSizeErrors(size), ...guarded);
}

/** Their fields in a wire shape. */
export function attributeFields(shown: Shown): Record<string, TSchema> {
  const fields = names
    .filter((name) => ATTRIBUTES[name].shown === shown)
    .map((name): [string, TSchema] => {
      const { type, nullable: mayBeNull } = ATTRIBUTES[name];
      return [name, mayBeNull ? nullable(fieldOf(type.schema)) : fieldOf(type.schema)];
    });
  return Object.fromEntries(fields);
}

type ShownByTable = Omit<GroupAttributes, 'default_branch_protection' | 'default_branch_protection_defaults'>;

/** The same fields with their values. */
export function shownAttributes(attributes: GroupAttributes, shown: Shown): Partial<ShownByTable> {
  return Object.fromEntries(
    names.filter((name) => ATTRIBUTES[name].shown === shown).map((name) => [name, attributes[name]]),
  );
}
