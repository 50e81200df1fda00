import type { FeatureLevel } from '../database/tables/access.ts';

/** What a group is set to besides its columns: stored as the JSON of what differs from these defaults (contract/planning.md §3.1). */
export interface GroupAttributes {
  readonly project_creation_level: 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer';
  readonly subgroup_creation_level: 'owner' | 'maintainer';
  /** null: projects start with `main`. */
  readonly default_branch: string | null;
  readonly membership_lock: boolean;
  readonly share_with_group_lock: boolean;
  readonly prevent_sharing_groups_outside_hierarchy: boolean;
  readonly prevent_forking_outside_group: boolean;
  readonly require_two_factor_authentication: boolean;
  readonly two_factor_grace_period: number;
  readonly request_access_enabled: boolean;
  /** false: LFS is off in everything below. */
  readonly lfs_enabled: boolean;
  readonly emails_enabled: boolean;
  readonly mentions_disabled: boolean | null;
  readonly shared_runners_setting: 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable';
  /** Of groups at the top level; it counts for everything below. */
  readonly allow_runner_registration_token: boolean;
  readonly wiki_access_level: FeatureLevel;
  readonly auto_devops_enabled: boolean | null;
  readonly max_artifacts_size: number | null;
  readonly show_diff_preview_in_email: boolean;
  readonly math_rendering_limits_enabled: boolean;
  readonly lock_math_rendering_limits_enabled: boolean;
}

export const GROUP_DEFAULTS: GroupAttributes = {
  project_creation_level: 'developer',
  subgroup_creation_level: 'maintainer',
  default_branch: null,
  membership_lock: false,
  share_with_group_lock: false,
  prevent_sharing_groups_outside_hierarchy: false,
  prevent_forking_outside_group: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  request_access_enabled: true,
  lfs_enabled: true,
  emails_enabled: true,
  mentions_disabled: null,
  shared_runners_setting: 'enabled',
  allow_runner_registration_token: true,
  wiki_access_level: 'enabled',
  auto_devops_enabled: null,
  max_artifacts_size: null,
  show_diff_preview_in_email: true,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
};

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
