import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { FeatureLevel, Visibility } from '#database/schema.ts';
import { DEVELOPER, GUEST, MAINTAINER, OWNER, PLANNER, REPORTER } from '#domain/members/roles.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import { getMemberRole, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';

// Abilities: which role may do what (contract/planning.md §0 "Who may", contract/repository.md §0). Pure functions of
// the caller and the loaded row. Callers have checked that the project or group is visible.

type Feature = 'repository' | 'issues' | 'merge_requests' | 'builds' | 'environments' | 'wiki' | 'snippets';

/** Minimum role where a feature is `private`; features without an entry: any member. */
const MIN_MEMBER_ROLE: Partial<Record<Feature, number>> = { environments: REPORTER };

interface ProjectAbility {
  /** Minimum role; 0: anyone who can see the project. */
  readonly role: number;
  /** Minimum role in a private project, if it differs. */
  readonly rolePrivate?: number;
  /** Minimum role in a private project with public jobs (`public_jobs`). */
  readonly rolePublicJobs?: number;
  /** Minimum role in a public or internal project without public jobs. */
  readonly roleHiddenJobs?: number;
  /** Another, lower role that is allowed too, while roles between are not. */
  readonly orExactly?: number;
  /** All of these features must be available: `disabled` excludes everyone, `private` everyone but members. */
  readonly features?: readonly Feature[];
  /** At least one of these features must be available. */
  readonly anyFeature?: readonly Feature[];
  /** Denied while the project or a group above it is archived, also to administrators. */
  readonly unlessArchived?: true;
}

/** Features that pipelines and jobs require: they expose commits, logs and build results. */
const PIPELINE_FEATURES = ['builds', 'repository'] as const;
/** Features that environments and deployments require. */
const ENVIRONMENT_FEATURES = ['environments', ...PIPELINE_FEATURES] as const;

const PROJECT_RULES = {
  read_project: { role: 0 },
  read_members: { role: 0 },
  read_code: { role: 0, rolePrivate: REPORTER, features: ['repository'] },
  push_code: { role: DEVELOPER, features: ['repository'], unlessArchived: true },
  /** Deletes LFS locks of other users. */
  force_unlock_lfs_file: { role: MAINTAINER, features: ['repository'], unlessArchived: true },
  read_merge_request: { role: 0, rolePrivate: PLANNER, features: ['merge_requests'] },
  create_merge_request: { role: DEVELOPER, features: ['merge_requests'], unlessArchived: true },
  /** For author and assignees: update, close and reopen. */
  update_own_merge_request: { role: 0, features: ['merge_requests'], unlessArchived: true },
  update_merge_request: { role: DEVELOPER, features: ['merge_requests'], unlessArchived: true },
  delete_merge_request: { role: OWNER, features: ['merge_requests'], unlessArchived: true },
  admin_protected_branch: { role: MAINTAINER, features: ['repository'] },
  admin_protected_tag: { role: MAINTAINER, features: ['repository'] },
  admin_protected_environment: { role: MAINTAINER },
  update_project: { role: MAINTAINER },
  change_visibility: { role: OWNER },
  archive_project: { role: OWNER },
  transfer_project: { role: OWNER, unlessArchived: true },
  remove_project: { role: OWNER },
  admin_project_member: { role: MAINTAINER },
  manage_project_access_tokens: { role: MAINTAINER },
  export_project: { role: MAINTAINER },
  create_project_access_token: { role: MAINTAINER },
  read_project_audit_events: { role: DEVELOPER },
  read_issue: { role: 0, features: ['issues'] },
  read_confidential_issue: { role: PLANNER, features: ['issues'] },
  create_issue: { role: 0, features: ['issues'], unlessArchived: true },
  /** Actions on an issue for anyone who can read it; moving it needs more. */
  act_on_issue: { role: 0, unlessArchived: true },
  /** Labels, milestone, assignees and so on of a new issue. */
  set_new_issue_metadata: { role: GUEST, features: ['issues'], unlessArchived: true },
  /** For author and assignees: edit the text, close, reopen. */
  update_own_issue: { role: 0, features: ['issues'], unlessArchived: true },
  update_issue: { role: PLANNER, features: ['issues'], unlessArchived: true },
  /** Adds an issue to an epic, or removes it. */
  relate_issue: { role: GUEST, features: ['issues'], unlessArchived: true },
  delete_issue: { role: OWNER, orExactly: PLANNER, features: ['issues'], unlessArchived: true },
  create_note: { role: 0, unlessArchived: true },
  /** Notes of other users. */
  change_note: { role: MAINTAINER, unlessArchived: true },
  read_internal_note: { role: PLANNER },
  /** Threads of other users, on noteables of other users. */
  resolve_note: { role: DEVELOPER, unlessArchived: true },
  /** Sets the creation time of a note. */
  set_note_created_at: { role: OWNER },
  read_label: { role: 0 },
  admin_label: { role: PLANNER, unlessArchived: true },
  read_milestone: { role: 0, anyFeature: ['issues', 'merge_requests'] },
  admin_milestone: { role: PLANNER, anyFeature: ['issues', 'merge_requests'], unlessArchived: true },
  read_iteration: { role: 0 },
  /** Lists, creates, assigns and unassigns runners. */
  admin_runner: { role: MAINTAINER },
  read_package: { role: 0, rolePrivate: REPORTER },
  read_pipeline: { role: 0, rolePrivate: REPORTER, rolePublicJobs: GUEST, features: PIPELINE_FEATURES },
  /** Jobs, with their logs and artifacts. */
  read_job: {
    role: 0,
    roleHiddenJobs: REPORTER,
    rolePrivate: REPORTER,
    rolePublicJobs: GUEST,
    features: PIPELINE_FEATURES,
  },
  /** Artifacts that the CI file restricts to Developers, and those restricted to Maintainers. */
  read_private_artifacts: { role: DEVELOPER, features: PIPELINE_FEATURES },
  read_maintainers_artifacts: { role: MAINTAINER, features: PIPELINE_FEATURES },
  /** Requests a pipeline; disabled pipelines have a different error. */
  create_pipeline: { role: DEVELOPER, unlessArchived: true },
  /** Pipelines, jobs and resource groups; protected branches need more. */
  update_pipeline: { role: DEVELOPER, features: ['builds'], unlessArchived: true },
  /** Single jobs that the protection rules of their environment let the caller deploy. */
  act_on_deploy_job: { role: REPORTER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  read_resource_group: { role: DEVELOPER, features: ['builds'] },
  /** Manages trigger tokens. */
  admin_trigger: { role: MAINTAINER },
  /** Reads and writes CI variables of the project, including values. */
  admin_variable: { role: MAINTAINER, features: ['builds'] },
  /** Pipelines of other users: their variables, and force-cancel. */
  admin_pipeline: { role: MAINTAINER, features: ['builds'], unlessArchived: true },
  destroy_pipeline: { role: OWNER, features: ['builds'], unlessArchived: true },
  read_environment: { role: 0, rolePrivate: REPORTER, features: ENVIRONMENT_FEATURES },
  create_environment: { role: DEVELOPER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  update_environment: { role: DEVELOPER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  /** Protected environments need more, as for deletion. */
  stop_environment: { role: DEVELOPER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  destroy_environment: { role: DEVELOPER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  stop_stale_environments: { role: MAINTAINER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  read_deployment: { role: 0, rolePrivate: REPORTER, features: ENVIRONMENT_FEATURES },
  /** Loads a deployment to update it: a missing one is a 404 before a forbidden update is a 403. */
  find_deployment: { role: 0, features: ENVIRONMENT_FEATURES },
  create_deployment: { role: DEVELOPER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  update_deployment: { role: DEVELOPER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  destroy_deployment: { role: MAINTAINER, features: ENVIRONMENT_FEATURES, unlessArchived: true },
  read_alert_management_alert: { role: DEVELOPER },
  update_alert_management_alert: { role: DEVELOPER },
  /** Manages alert integrations and error tracking settings. */
  admin_operations: { role: MAINTAINER },
  read_wiki: { role: 0, features: ['wiki'] },
  /** Fetches the wiki's repository. */
  download_wiki: { role: 0, rolePrivate: REPORTER, orExactly: PLANNER, features: ['wiki'] },
  create_wiki: { role: DEVELOPER, orExactly: PLANNER, features: ['wiki'], unlessArchived: true },
  delete_wiki: { role: MAINTAINER, orExactly: PLANNER, features: ['wiki'], unlessArchived: true },
  read_snippet: { role: 0, features: ['snippets'] },
  /** Creates snippets, and deletes own ones. */
  create_snippet: { role: REPORTER, features: ['snippets'], unlessArchived: true },
  update_own_snippet: { role: 0, features: ['snippets'], unlessArchived: true },
  /** Snippets of other users: updates and deletes them. */
  update_snippet: { role: MAINTAINER, features: ['snippets'], unlessArchived: true },
  read_sentry_issue: { role: REPORTER },
  update_sentry_issue: { role: DEVELOPER },
} as const satisfies Record<string, ProjectAbility>;

interface GroupAbility {
  /** Minimum role; 0: anyone who can see the group. */
  readonly role: number;
  /** Minimum role in a private group, if it differs. */
  readonly rolePrivate?: number;
  /** Another, lower role that is allowed too, while roles between are not. */
  readonly orExactly?: number;
  /** Also allowed to anyone who can see the group by its visibility. */
  readonly allowedByVisibility?: true;
  /** The wiki must be available: `disabled` excludes everyone, `private` everyone but members. */
  readonly wiki?: true;
  /** Denied while the group or one of its ancestors is archived, also to administrators. */
  readonly unlessArchived?: true;
}

const GROUP_RULES = {
  read_group: { role: 0 },
  read_group_members: { role: GUEST, allowedByVisibility: true },
  update_group: { role: OWNER },
  remove_group: { role: OWNER },
  archive_group: { role: OWNER },
  transfer_group: { role: OWNER, unlessArchived: true },
  admin_group_member: { role: OWNER },
  manage_group_access_tokens: { role: OWNER },
  export_group: { role: OWNER },
  create_group_access_token: { role: OWNER, unlessArchived: true },
  read_group_audit_events: { role: DEVELOPER },
  read_label: { role: 0 },
  admin_label: { role: PLANNER, unlessArchived: true },
  read_milestone: { role: 0 },
  admin_milestone: { role: PLANNER, unlessArchived: true },
  read_epic: { role: 0 },
  read_confidential_epic: { role: PLANNER },
  admin_epic: { role: PLANNER, unlessArchived: true },
  delete_epic: { role: OWNER, orExactly: PLANNER, unlessArchived: true },
  /** Adds and removes issues; also needs a membership in the issue's project. */
  relate_epic: { role: 0, unlessArchived: true },
  /** Sets the creation time. */
  set_epic_timestamps: { role: OWNER },
  create_note: { role: 0, unlessArchived: true },
  /** Notes of other users. */
  change_note: { role: MAINTAINER, unlessArchived: true },
  read_internal_note: { role: PLANNER },
  /** Threads of other users, on noteables of other users. */
  resolve_note: { role: DEVELOPER, unlessArchived: true },
  /** Sets the creation time of a note. */
  set_note_created_at: { role: OWNER },
  read_iteration: { role: 0 },
  admin_iteration: { role: PLANNER, unlessArchived: true },
  read_runner: { role: MAINTAINER },
  create_runner: { role: OWNER, unlessArchived: true },
  admin_runner: { role: OWNER },
  admin_protected_environment: { role: OWNER },
  admin_ssh_certificate: { role: OWNER },
  read_wiki: { role: 0, wiki: true },
  /** Fetches the wiki's repository. */
  download_wiki: { role: 0, rolePrivate: REPORTER, orExactly: PLANNER, wiki: true },
  create_wiki: { role: DEVELOPER, orExactly: PLANNER, wiki: true, unlessArchived: true },
  delete_wiki: { role: MAINTAINER, orExactly: PLANNER, wiki: true, unlessArchived: true },
  /** CI variables for jobs of all projects below, including values. */
  admin_variable: { role: OWNER },
} as const satisfies Record<string, GroupAbility>;

export type ProjectAbilityName = keyof typeof PROJECT_RULES;
export type GroupAbilityName = keyof typeof GROUP_RULES;

export const PROJECT_ABILITIES = Object.keys(PROJECT_RULES) as readonly ProjectAbilityName[];
export const GROUP_ABILITIES = Object.keys(GROUP_RULES) as readonly GroupAbilityName[];

/** Returns which roles have the ability, for descriptions; undefined if it does not exist. */
export function getAbilityRule(
  kind: 'project' | 'group',
  ability: ProjectAbilityName | GroupAbilityName,
): (Partial<Pick<ProjectAbility, 'rolePublicJobs'>> & Omit<GroupAbility, 'wiki' | 'unlessArchived'>) | undefined {
  const rules: Readonly<Record<string, ProjectAbility | GroupAbility>> =
    kind === 'project' ? PROJECT_RULES : GROUP_RULES;
  return rules[ability];
}

/** Returns whether the caller, who can see the project, has the ability. */
export function mayInProject(caller: Caller, ability: ProjectAbilityName, project: Project): boolean {
  const rule: ProjectAbility = PROJECT_RULES[ability];
  if (rule.unlessArchived && project.archived) return false;
  if (!(rule.features ?? []).every((feature) => mayUseFeature(caller, feature, project))) return false;
  if (rule.anyFeature && !rule.anyFeature.some((feature) => mayUseFeature(caller, feature, project))) return false;
  const requiredRole =
    project.visibility === 'private' ? getRoleForPrivateProject(rule, project) : getRoleForOpenProject(rule, project);
  const role = getProjectRole(caller, project);
  return role >= requiredRole || (rule.orExactly !== undefined && role === rule.orExactly);
}

/** Returns the minimum role in a private project. */
function getRoleForPrivateProject(
  { role, rolePrivate = role, rolePublicJobs = rolePrivate }: ProjectAbility,
  project: Project,
) {
  return rolePublicJobs !== rolePrivate && hasPublicJobs(project) ? rolePublicJobs : rolePrivate;
}

/** Returns the minimum role in a public or internal project. */
function getRoleForOpenProject({ role, roleHiddenJobs = role }: ProjectAbility, project: Project) {
  return roleHiddenJobs !== role && !hasPublicJobs(project) ? roleHiddenJobs : role;
}

/** Returns the project's attribute `public_jobs`, true by default (contract/planning.md §3.3). */
function hasPublicJobs({ attributes }: Pick<Project, 'attributes'>): boolean {
  return (JSON.parse(attributes) as { public_jobs?: boolean }).public_jobs !== false;
}

/** Returns whether the caller, who can see the project, may use the feature. */
export function mayUseFeature(caller: Caller, feature: Feature, project: Project): boolean {
  return isFeatureAvailable(
    caller,
    project[`${feature}_access_level`],
    getMemberRole(project),
    MIN_MEMBER_ROLE[feature] ?? GUEST,
  );
}

/**
 * Returns whether a feature is available to the caller. `role`: role from memberships; `minimumRole`: minimum role where the
 * feature is `private`.
 */
function isFeatureAvailable(caller: Caller, level: FeatureLevel, role: number, minimumRole: number): boolean {
  if (level === 'disabled') return false;
  return level === 'enabled' || isAdministrator(caller) || role >= minimumRole;
}

/** Returns whether the caller, who can see the group, has the ability. */
export function mayInGroup(caller: Caller, ability: GroupAbilityName, group: Group): boolean {
  const rule: GroupAbility = GROUP_RULES[ability];
  if (rule.unlessArchived && group.archived) return false;
  // Callers who see the group only through a membership below it get no access to the group's own data.
  if (rule.allowedByVisibility && isVisibilityOpenTo(caller, group.visibility)) return true;
  if (
    rule.wiki &&
    !isFeatureAvailable(caller, parseGroupAttributes(group.attributes).wiki_access_level, group.role, GUEST)
  )
    return false;
  const role = getGroupRole(caller, group);
  const requiredRole = group.visibility === 'private' ? (rule.rolePrivate ?? rule.role) : rule.role;
  return role >= requiredRole || (rule.orExactly !== undefined && role === rule.orExactly);
}

/** Returns whether the caller has an ability that exists for both projects and groups. */
export function mayInParent(
  caller: Caller,
  ability: ProjectAbilityName & GroupAbilityName,
  { project, group }: GroupOrProject,
): boolean {
  return project ? mayInProject(caller, ability, project) : mayInGroup(caller, ability, group);
}

function isVisibilityOpenTo(caller: Caller, visibility: Visibility): boolean {
  return visibility === 'public' || (visibility === 'internal' && caller.user !== null);
}
