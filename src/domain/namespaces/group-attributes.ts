import type { Reader } from '#database/database.ts';
import type { FeatureLevel } from '#database/schema.ts';
import type { DefaultBranchProtection, ProtectionLevel } from './default-branch-protection.ts';
import { selectSelfAndAncestors } from './hierarchy.ts';

/** Default values of the group settings without a column of their own (contract/planning.md §3.1). */
export const DEFAULT_GROUP_ATTRIBUTES = {
  project_creation_level: 'developer' as 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer',
  subgroup_creation_level: 'maintainer' as 'owner' | 'maintainer',
  /** Default branch of new repositories; null: that of the nearest ancestor with a value, else `main`. */
  default_branch: null as string | null,
  /** Legacy form of the next attribute: a level from 0 to 4. Only `default_branch_protection_defaults` has an effect. */
  default_branch_protection: null as ProtectionLevel | null,
  /** Protection of the default branch of new projects in the group. */
  default_branch_protection_defaults: null as DefaultBranchProtection | null,
  membership_lock: false,
  share_with_group_lock: false,
  prevent_sharing_groups_outside_hierarchy: false,
  prevent_forking_outside_group: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  request_access_enabled: true,
  /** False disables LFS in all projects below the group. */
  lfs_enabled: true,
  emails_enabled: true,
  mentions_disabled: null as boolean | null,
  shared_runners_setting: 'enabled' as 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable',
  /** Only the value of the top-level group counts; it applies to all descendants. */
  allow_runner_registration_token: true,
  wiki_access_level: 'enabled' as FeatureLevel,
  auto_devops_enabled: null as boolean | null,
  show_diff_preview_in_email: true,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  /** In MiB. */
  max_artifacts_size: null as number | null,
  /** True overrides the setting of every project below. */
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  shared_runners_minutes_limit: null as number | null,
  extra_shared_runners_minutes_limit: null as number | null,
  file_template_project_id: null as number | null,
};

/** Attributes of a group. The stored JSON contains only values that differ from the defaults. */
export type GroupAttributes = Readonly<typeof DEFAULT_GROUP_ATTRIBUTES>;

/** Parses the `attributes` column of a group. */
export function parseGroupAttributes(storedAttributes: string): GroupAttributes {
  return storedAttributes === '{}'
    ? DEFAULT_GROUP_ATTRIBUTES
    : { ...DEFAULT_GROUP_ATTRIBUTES, ...(JSON.parse(storedAttributes) as Partial<GroupAttributes>) };
}

/**
 * Returns the new value of the `attributes` column. Undefined changes are ignored; values equal to their default are
 * not stored.
 */
export function mergeGroupAttributes(storedAttributes: string, changes: Partial<GroupAttributes>): string {
  const definedChanges = Object.entries(changes).filter(([, value]) => value !== undefined);
  const newEntries = Object.entries({
    ...parseGroupAttributes(storedAttributes),
    ...Object.fromEntries(definedChanges),
  });
  return JSON.stringify(Object.fromEntries(newEntries.filter(([name, value]) => value !== DEFAULTS_BY_NAME[name])));
}

const DEFAULTS_BY_NAME: Readonly<Record<string, unknown>> = { ...DEFAULT_GROUP_ATTRIBUTES };

/**
 * Returns the default branch of new repositories in a namespace: the setting of the nearest group that has one, else
 * `main`.
 */
export async function getInitialBranch(db: Reader, namespaceId: number): Promise<string> {
  // index: namespace_closure_pkey
  const selfAndAncestors = await selectSelfAndAncestors(db, namespaceId)
    .select('namespaces.attributes')
    .orderBy('namespace_closure.depth')
    .execute();
  const configuredBranch = selfAndAncestors
    .map(({ attributes }) => parseGroupAttributes(attributes).default_branch)
    .find((branch) => branch);
  return configuredBranch ?? 'main';
}
