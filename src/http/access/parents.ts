import type { SignedInCaller } from '#authentication/caller.ts';
import type { GroupAbilityName, ProjectAbilityName } from '#authorization/abilities.ts';
import { requireGroupAccess, requireProjectAccess } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { type MemberSource, toGroupSource, toProjectSource } from '#domain/members/memberships.ts';
import { type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Access } from './access.ts';
import { inGroup, inProject } from './project-access.ts';

/** Resources that exist in groups and projects alike are declared once, for both kinds of parents. */

/** The group or project of a request. */
export type Parent = MemberSource & {
  readonly full_path: string;
  /** The caller's role; an administrator acts as Owner. */
  readonly role: number;
} & (
    | { readonly type: 'group'; readonly group: Group; readonly project?: never }
    | { readonly type: 'project'; readonly project: Project; readonly group?: never }
  );

/** The parent in the path, and the caller, who has the required ability in it. */
export interface ParentContext {
  readonly parent: Parent;
  readonly caller: SignedInCaller;
}

/** A value for each kind of parent. */
export interface ByParentType<OfGroups, OfProjects = OfGroups> {
  readonly group: OfGroups;
  readonly project: OfProjects;
}

/** Group or project as the type of parent, for endpoint declarations. */
export interface ParentKind {
  readonly type: 'group' | 'project';
  /** Name in error messages: `404 Group Not Found`. */
  readonly name: 'Group' | 'Project';
  readonly path: '/groups/:id' | '/projects/:id';
  /** Returns access for signed-in callers with this ability in the group or project. */
  accessWith(abilities: ByParentType<GroupAbilityName, ProjectAbilityName>): Access<ParentContext>;
  /** Returns the value for this kind. */
  select<Value>(values: ByParentType<Value>): Value;
}

const GROUP: ParentKind = {
  type: 'group',
  name: 'Group',
  path: '/groups/:id',
  accessWith: ({ group }) =>
    inGroup(group).map(({ group, caller }) => ({ parent: toGroupParent(caller, group), caller })),
  select: ({ group }) => group,
};

const PROJECT: ParentKind = {
  type: 'project',
  name: 'Project',
  path: '/projects/:id',
  accessWith: ({ project }) =>
    inProject(project).map(({ project, caller }) => ({ parent: toProjectParent(caller, project), caller })),
  select: ({ project }) => project,
};

function toGroupParent(caller: SignedInCaller, group: Group): Parent {
  const { full_path } = group;
  return { ...toGroupSource(group.id), type: 'group', full_path, role: getGroupRole(caller, group), group };
}

function toProjectParent(caller: SignedInCaller, project: Project): Parent {
  const { full_path } = project;
  return { ...toProjectSource(project), type: 'project', full_path, role: getProjectRole(caller, project), project };
}

/** Returns a group or project as a parent, with the role of the caller. */
export function toParent(caller: SignedInCaller, { group, project }: GroupOrProject): Parent {
  return project ? toProjectParent(caller, project) : toGroupParent(caller, group!);
}

/** Checks inside the transaction that the caller still has the ability. Throws `AccessRevoked` otherwise. */
export async function requireParentAccess(
  tx: Transaction,
  { parent, caller }: ParentContext,
  { group, project }: ByParentType<GroupAbilityName, ProjectAbilityName>,
): Promise<void> {
  if (parent.group) await requireGroupAccess(tx, caller, parent.group.id, group);
  else await requireProjectAccess(tx, caller, parent.project.id, project);
}

/** Returns the lock key for operations on titles that are unique in a whole group hierarchy. */
export function hierarchyLockKey(resources: string, { full_path }: Pick<Parent, 'full_path'>): string {
  return `${resources} below ${full_path.split('/')[0]!.toLowerCase()}`;
}

/** Declares an endpoint for both kinds: `export const [listGroupMembers, listProjectMembers] = forGroupAndProject((parent) => endpoint({ ... }))` */
export function forGroupAndProject<Declaration>(
  declare: (parent: ParentKind) => Declaration,
): readonly [ofGroups: Declaration, ofProjects: Declaration] {
  return [declare(GROUP), declare(PROJECT)];
}
