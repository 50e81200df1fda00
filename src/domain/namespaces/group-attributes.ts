import type { FeatureLevel } from '#database/tables/domain.ts';
import type { DefaultProtection, ProtectionLevel } from './default-branch-protection.ts';

/** What groups are set to besides their columns while nothing else is said (contract/planning.md §3.1). */
export const GROUP_DEFAULTS = {
  project_creation_level: 'developer' as 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer',
  subgroup_creation_level: 'maintainer' as 'owner' | 'maintainer',
  /** null: projects start with `main`. */
  default_branch: null as string | null,
  /** As a value of the instance's setting of that name; null: that setting itself. What counts stands below. */
  default_branch_protection: null as ProtectionLevel | null,
  /** Of projects made in it afterwards. */
  default_branch_protection_defaults: null as DefaultProtection | null,
  membership_lock: false,
  share_with_group_lock: false,
  prevent_sharing_groups_outside_hierarchy: false,
  prevent_forking_outside_group: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  request_access_enabled: true,
  /** false: LFS is off in everything below. */
  lfs_enabled: true,
  emails_enabled: true,
  mentions_disabled: null as boolean | null,
  shared_runners_setting: 'enabled' as 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable',
  /** Of groups at the top level; it counts for everything below. */
  allow_runner_registration_token: true,
  wiki_access_level: 'enabled' as FeatureLevel,
  auto_devops_enabled: null as boolean | null,
  show_diff_preview_in_email: true,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  /** MiB. */
  max_artifacts_size: null as number | null,
  /** true holds for every project below, whatever it says itself. */
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  shared_runners_minutes_limit: null as number | null,
  extra_shared_runners_minutes_limit: null as number | null,
};

/** Stored as the JSON of what differs from the defaults. */
export type GroupAttributes = Readonly<typeof GROUP_DEFAULTS>;

/** The attributes of a row's `attributes` column. */
export function groupAttributes(stored: string): GroupAttributes {
  return stored === '{}' ? GROUP_DEFAULTS : { ...GROUP_DEFAULTS, ...(JSON.parse(stored) as Partial<GroupAttributes>) };
}

/** The column after a change: what is undefined stays as it is, what equals its default is not stored. */
export function changeGroupAttributes(stored: string, changes: Partial<GroupAttributes>): string {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const next = Object.entries({ ...groupAttributes(stored), ...Object.fromEntries(given) });
  return JSON.stringify(Object.fromEntries(next.filter(([name, value]) => value !== defaults[name])));
}

const defaults: Readonly<Record<string, unknown>> = { ...GROUP_DEFAULTS };
