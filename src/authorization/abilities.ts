import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { FeatureLevel, Visibility } from '#database/tables/domain.ts';
import { DEVELOPER, GUEST, MAINTAINER, OWNER, PLANNER, REPORTER } from '#domain/members/roles.ts';
import { groupAttributes } from '#domain/namespaces/group-attributes.ts';
import { type Group, roleInGroup } from '#domain/namespaces/groups.ts';
import { memberRole, type Project, roleIn } from '#domain/namespaces/projects.ts';
import type { Place } from '#domain/namespaces/scope.ts';

/**
 * Who may do what: one row an ability (contract/planning.md §0 "Who may", contract/repository.md §0). Pure; the caller
 * and the loaded row are all it looks at. That the caller can see the project or group has been asked before.
 */

type Feature = 'repository' | 'issues' | 'merge_requests' | 'builds' | 'environments' | 'wiki' | 'snippets';

/** Who is let in where a feature is `private`: members, of some only from this role on. */
const LEAST_MEMBER: Partial<Record<Feature, number>> = { environments: REPORTER };

interface ProjectAbility {
  /** The least role; 0: whoever sees the project. */
  readonly role: number;
  /** In a private project, when that differs. */
  readonly rolePrivate?: number;
  /** In a private project that shows its jobs to all members (`public_jobs`). */
  readonly rolePublicJobs?: number;
  /** In any other project, while it shows its jobs to members alone. */
  readonly roleHiddenJobs?: number;
  /** A lower role that may as well, while those between may not. */
  readonly orExactly?: number;
  /** Only with all of these: one that is disabled shuts out everybody, one that is `private` everybody but members. */
  readonly features?: readonly Feature[];
  /** Only with one of these. */
  readonly anyFeature?: readonly Feature[];
  /** Failure while the project, or a group above it, is archived, administrators included. */
  readonly unlessArchived?: true;
}

/** What pipelines and their jobs need of a project: they show its commits, and logs and files that were made of its code. */
const BUILDING = ['builds', 'repository'] as const;
/** What environments and deployments need of a project. */
const DEPLOYING = ['environments', ...BUILDING] as const;

const PROJECT = {
  read_project: { role: 0 },
  read_members: { role: 0 },
  read_code: { role: 0, rolePrivate: REPORTER, features: ['repository'] },
  push_code: { role: DEVELOPER, features: ['repository'], unlessArchived: true },
  read_merge_request: { role: 0, rolePrivate: PLANNER, features: ['merge_requests'] },
  create_merge_request: { role: DEVELOPER, features: ['merge_requests'], unlessArchived: true },
  /** What author and assignees may: to change, close and reopen it. */
  update_own_merge_request: { role: 0, features: ['merge_requests'], unlessArchived: true },
  update_merge_request: { role: DEVELOPER, features: ['merge_requests'], unlessArchived: true },
  delete_merge_request: { role: OWNER, features: ['merge_requests'], unlessArchived: true },
  admin_protected_branch: { role: MAINTAINER, features: ['repository'] },
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
  /** What whoever reads an issue does with it himself; moving it asks for more. */
  act_on_issue: { role: 0, unlessArchived: true },
  /** Labels, milestone, assignees and the like of an issue that he files. */
  set_new_issue_metadata: { role: GUEST, features: ['issues'], unlessArchived: true },
  /** What author and assignees may: text, closing, reopening. */
  update_own_issue: { role: 0, features: ['issues'], unlessArchived: true },
  update_issue: { role: PLANNER, features: ['issues'], unlessArchived: true },
  /** Puts it into an epic, or takes it out. */
  relate_issue: { role: GUEST, features: ['issues'], unlessArchived: true },
  delete_issue: { role: OWNER, orExactly: PLANNER, features: ['issues'], unlessArchived: true },
  create_note: { role: 0, unlessArchived: true },
  /** What others have written. */
  change_note: { role: MAINTAINER, unlessArchived: true },
  read_internal_note: { role: PLANNER },
  /** Threads that others have begun, on what others have made. */
  resolve_note: { role: DEVELOPER, unlessArchived: true },
  /** When it was written. */
  date_note: { role: OWNER },
  read_label: { role: 0 },
  admin_label: { role: PLANNER, unlessArchived: true },
  read_milestone: { role: 0, anyFeature: ['issues', 'merge_requests'] },
  admin_milestone: { role: PLANNER, anyFeature: ['issues', 'merge_requests'], unlessArchived: true },
  read_iteration: { role: 0 },
  /** Lists its runners, makes some, takes others in and out. */
  admin_runner: { role: MAINTAINER },
  read_package: { role: 0, rolePrivate: REPORTER },
  read_pipeline: { role: 0, rolePrivate: REPORTER, rolePublicJobs: GUEST, features: BUILDING },
  /** Jobs, with their logs and what they have left. */
  read_job: { role: 0, roleHiddenJobs: REPORTER, rolePrivate: REPORTER, rolePublicJobs: GUEST, features: BUILDING },
  /** Of what a job has left: what its file gives to Developers, and what to Maintainers alone. */
  read_private_artifacts: { role: DEVELOPER, features: BUILDING },
  read_maintainers_artifacts: { role: MAINTAINER, features: BUILDING },
  /** Asks for one; whether pipelines are on is told in other words. */
  create_pipeline: { role: DEVELOPER, unlessArchived: true },
  /** Pipelines, jobs and resource groups; on a protected branch that asks for more. */
  update_pipeline: { role: DEVELOPER, features: ['builds'], unlessArchived: true },
  /** Single jobs, which the protections of their environments let him deploy. */
  act_on_deploy_job: { role: REPORTER, features: DEPLOYING, unlessArchived: true },
  read_resource_group: { role: DEVELOPER, features: ['builds'] },
  /** Tokens that start pipelines. */
  admin_trigger: { role: MAINTAINER },
  /** The variables that its jobs are given, values included. */
  admin_variable: { role: MAINTAINER, features: ['builds'] },
  /** What others have started: its variables, and its end whatever a runner says. */
  admin_pipeline: { role: MAINTAINER, features: ['builds'], unlessArchived: true },
  destroy_pipeline: { role: OWNER, features: ['builds'], unlessArchived: true },
  read_environment: { role: 0, rolePrivate: REPORTER, features: DEPLOYING },
  create_environment: { role: DEVELOPER, features: DEPLOYING, unlessArchived: true },
  update_environment: { role: DEVELOPER, features: DEPLOYING, unlessArchived: true },
  /** Of a protected one that asks for more, as destroying it does. */
  stop_environment: { role: DEVELOPER, features: DEPLOYING, unlessArchived: true },
  destroy_environment: { role: DEVELOPER, features: DEPLOYING, unlessArchived: true },
  stop_stale_environments: { role: MAINTAINER, features: DEPLOYING, unlessArchived: true },
  read_deployment: { role: 0, rolePrivate: REPORTER, features: DEPLOYING },
  /** Hears that it is not there before he hears that he may not change it. */
  find_deployment: { role: 0, features: DEPLOYING },
  create_deployment: { role: DEVELOPER, features: DEPLOYING, unlessArchived: true },
  update_deployment: { role: DEVELOPER, features: DEPLOYING, unlessArchived: true },
  destroy_deployment: { role: MAINTAINER, features: DEPLOYING, unlessArchived: true },
  read_alert_management_alert: { role: DEVELOPER },
  update_alert_management_alert: { role: DEVELOPER },
  /** Who may send alerts and reports, and what is made of them. */
  admin_operations: { role: MAINTAINER },
  read_wiki: { role: 0, features: ['wiki'] },
  /** Fetches its repository. */
  download_wiki: { role: 0, rolePrivate: REPORTER, orExactly: PLANNER, features: ['wiki'] },
  create_wiki: { role: DEVELOPER, orExactly: PLANNER, features: ['wiki'], unlessArchived: true },
  delete_wiki: { role: MAINTAINER, orExactly: PLANNER, features: ['wiki'], unlessArchived: true },
  read_sentry_issue: { role: REPORTER },
  update_sentry_issue: { role: DEVELOPER },
} as const satisfies Record<string, ProjectAbility>;

interface GroupAbility {
  /** The least role; 0: whoever sees the group. */
  readonly role: number;
  /** In a private group, when that differs. */
  readonly rolePrivate?: number;
  /** A lower role that may as well, while those between may not. */
  readonly orExactly?: number;
  /** Open to whom the group's visibility lets in. */
  readonly open?: true;
  /** Only with its wiki: one that is disabled shuts out everybody, one that is `private` everybody but members. */
  readonly wiki?: true;
  /** Failure while the group, or one above it, is archived, administrators included. */
  readonly unlessArchived?: true;
}

const GROUP = {
  read_group: { role: 0 },
  read_group_members: { role: GUEST, open: true },
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
  /** Which issues are in it: members of their projects say so, who see it. */
  relate_epic: { role: 0, unlessArchived: true },
  /** When it was made. */
  date_epic: { role: OWNER },
  create_note: { role: 0, unlessArchived: true },
  /** What others have written. */
  change_note: { role: MAINTAINER, unlessArchived: true },
  read_internal_note: { role: PLANNER },
  /** Threads that others have begun, on what others have made. */
  resolve_note: { role: DEVELOPER, unlessArchived: true },
  /** When it was written. */
  date_note: { role: OWNER },
  read_iteration: { role: 0 },
  admin_iteration: { role: PLANNER, unlessArchived: true },
  read_runner: { role: MAINTAINER },
  create_runner: { role: OWNER, unlessArchived: true },
  admin_runner: { role: OWNER },
  admin_protected_environment: { role: OWNER },
  admin_ssh_certificate: { role: OWNER },
  read_wiki: { role: 0, wiki: true },
  /** Fetches its repository. */
  download_wiki: { role: 0, rolePrivate: REPORTER, orExactly: PLANNER, wiki: true },
  create_wiki: { role: DEVELOPER, orExactly: PLANNER, wiki: true, unlessArchived: true },
  delete_wiki: { role: MAINTAINER, orExactly: PLANNER, wiki: true, unlessArchived: true },
  /** The variables that the jobs below it are given, values included. */
  admin_variable: { role: OWNER },
} as const satisfies Record<string, GroupAbility>;

export type ProjectAbilityName = keyof typeof PROJECT;
export type GroupAbilityName = keyof typeof GROUP;

export const PROJECT_ABILITIES = Object.keys(PROJECT) as readonly ProjectAbilityName[];
export const GROUP_ABILITIES = Object.keys(GROUP) as readonly GroupAbilityName[];

export function mayInProject(caller: Caller, ability: ProjectAbilityName, project: Project): boolean {
  const row: ProjectAbility = PROJECT[ability];
  if (row.unlessArchived && project.archived) return false;
  if (!(row.features ?? []).every((feature) => mayUseFeature(caller, feature, project))) return false;
  if (row.anyFeature && !row.anyFeature.some((feature) => mayUseFeature(caller, feature, project))) return false;
  const needed = project.visibility === 'private' ? roleInPrivate(row, project) : roleInOpen(row, project);
  const role = roleIn(caller, project);
  return role >= needed || (row.orExactly !== undefined && role === row.orExactly);
}

function roleInPrivate({ role, rolePrivate = role, rolePublicJobs = rolePrivate }: ProjectAbility, project: Project) {
  return rolePublicJobs !== rolePrivate && showsJobs(project) ? rolePublicJobs : rolePrivate;
}

function roleInOpen({ role, roleHiddenJobs = role }: ProjectAbility, project: Project) {
  return roleHiddenJobs !== role && !showsJobs(project) ? roleHiddenJobs : role;
}

/** The project's attribute `public_jobs`, which is true unless it says otherwise (contract/planning.md §3.3). */
function showsJobs({ attributes }: Pick<Project, 'attributes'>): boolean {
  return (JSON.parse(attributes) as { public_jobs?: boolean }).public_jobs !== false;
}

/** Whether what belongs to the feature shows to this caller, who sees the project. */
export function mayUseFeature(caller: Caller, feature: Feature, project: Project): boolean {
  return featureOpen(caller, levelOf(project, feature), memberRole(project), LEAST_MEMBER[feature] ?? GUEST);
}

/** Is the feature on for this caller, who needs `least` where it is `private`? `role`: what his memberships give him. */
function featureOpen(caller: Caller, level: FeatureLevel, role: number, least: number): boolean {
  if (level === 'disabled') return false;
  return level === 'enabled' || isAdministrator(caller) || role >= least;
}

function levelOf(project: Project, feature: Feature): FeatureLevel {
  return project[`${feature}_access_level`];
}

export function mayInGroup(caller: Caller, ability: GroupAbilityName, group: Group): boolean {
  const row: GroupAbility = GROUP[ability];
  if (row.unlessArchived && group.archived) return false;
  // Who sees a group only through something below it is no reader of what is the group's own.
  if (row.open && isOpenTo(caller, group.visibility)) return true;
  if (row.wiki && !featureOpen(caller, groupAttributes(group.attributes).wiki_access_level, group.role, GUEST))
    return false;
  const role = roleInGroup(caller, group);
  const needed = group.visibility === 'private' ? (row.rolePrivate ?? row.role) : row.role;
  return role >= needed || (row.orExactly !== undefined && role === row.orExactly);
}

/** For what hangs on things of projects and of groups alike. */
export function mayAt(
  caller: Caller,
  ability: ProjectAbilityName & GroupAbilityName,
  { project, group }: Place,
): boolean {
  return project ? mayInProject(caller, ability, project) : mayInGroup(caller, ability, group);
}

function isOpenTo(caller: Caller, visibility: Visibility): boolean {
  return visibility === 'public' || (visibility === 'internal' && caller.user !== null);
}
