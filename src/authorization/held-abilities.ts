import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import {
  GROUP_ABILITIES,
  type GroupAbilityName,
  mayInGroup,
  mayInProject,
  PROJECT_ABILITIES,
  type ProjectAbilityName,
} from './abilities.ts';
import { mayCreateProjectIn, mayCreateSubgroupIn } from './namespace-creation.ts';

// All abilities of a caller (contract/web.md §3): the rules of `abilities.ts`, and the conditions that endpoints check in
// addition to an ability. `test/matrix.test.ts` compares the result with the responses of the endpoints.

/** Abilities whose endpoints answer 401 to anonymous callers, also in public projects and groups. */
const FOR_SIGNED_IN_CALLERS: ReadonlySet<ProjectAbilityName | GroupAbilityName> = new Set([
  'update_own_merge_request',
  'create_issue',
  'act_on_issue',
  'update_own_issue',
  'update_own_snippet',
  'create_note',
  'relate_epic',
  'read_label',
  'read_milestone',
  'read_package',
  'read_environment',
  'read_deployment',
  'find_deployment',
  'read_group_members',
]);

/** Abilities that write to the repository or the wiki, which storage moves and `repository_read_only` suspend. */
const FOR_WRITABLE_REPOSITORIES: ReadonlySet<ProjectAbilityName | GroupAbilityName> = new Set([
  'push_code',
  'create_wiki',
  'delete_wiki',
]);

/** Abilities of groups that exist on paid tiers only. */
const PREMIUM_IN_GROUPS: ReadonlySet<GroupAbilityName> = new Set([
  'read_epic',
  'read_confidential_epic',
  'admin_epic',
  'delete_epic',
  'relate_epic',
  'set_epic_timestamps',
  'read_iteration',
  'admin_iteration',
  'read_wiki',
  'download_wiki',
  'create_wiki',
  'delete_wiki',
]);

/** Returns the names of all abilities that the caller, who can see the project, has in it, sorted. */
export function listProjectAbilities(caller: Caller, project: Project, tier: Tier): ProjectAbilityName[] {
  const hasIterations = tier !== 'free' && project.namespace_kind === 'group';
  return PROJECT_ABILITIES.filter(
    (ability) =>
      mayInProject(caller, ability, project) &&
      (caller.user !== null || !FOR_SIGNED_IN_CALLERS.has(ability)) &&
      (!project.read_only || !FOR_WRITABLE_REPOSITORIES.has(ability)) &&
      (hasIterations || ability !== 'read_iteration'),
  ).sort();
}

/** The abilities in groups that follow from settings of the group. */
export const CREATION_ABILITIES = ['create_project', 'create_subgroup'] as const;

type HeldGroupAbility = GroupAbilityName | (typeof CREATION_ABILITIES)[number];

/** A group with the state that its row does not have. */
interface GroupState {
  readonly group: Group;
  readonly wikiReadOnly: boolean;
  readonly tier: Tier;
}

/** Returns the names of all abilities that the caller, who can see the group, has in it, sorted. */
export function listGroupAbilities(caller: Caller, { group, wikiReadOnly, tier }: GroupState): HeldGroupAbility[] {
  const abilities: HeldGroupAbility[] = GROUP_ABILITIES.filter(
    (ability) =>
      mayInGroup(caller, ability, group) &&
      (caller.user !== null || !FOR_SIGNED_IN_CALLERS.has(ability)) &&
      (!wikiReadOnly || !FOR_WRITABLE_REPOSITORIES.has(ability)) &&
      (tier !== 'free' || !PREMIUM_IN_GROUPS.has(ability)),
  );
  if (mayCreateProjectIn(caller, group)) abilities.push('create_project');
  if (mayCreateSubgroupIn(caller, group)) abilities.push('create_subgroup');
  return abilities.sort();
}

/** Rights to create projects and groups outside of groups. */
interface CreationRights {
  readonly mayCreateGroup: boolean;
  readonly mayCreateProject: boolean;
}

/** The abilities of users that belong to no project or group, sorted. */
export const USER_ABILITIES = ['admin', 'create_group', 'create_project'] as const;

/** Returns the names of those that a user has, sorted. */
export function listUserAbilities(
  caller: Caller,
  { mayCreateGroup, mayCreateProject }: CreationRights,
): (typeof USER_ABILITIES)[number][] {
  const held = { admin: isAdministrator(caller), create_group: mayCreateGroup, create_project: mayCreateProject };
  return USER_ABILITIES.filter((ability) => held[ability]);
}
