import type { SignedInCaller } from '#authentication/caller.ts';
import type { GroupAbilityName, ProjectAbilityName } from '#authorization/abilities.ts';
import { stillInGroup, stillInProject } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { groupSource, type MemberSource, projectSource } from '#domain/members/memberships.ts';
import { type Group, roleInGroup } from '#domain/namespaces/groups.ts';
import { type Project, roleIn } from '#domain/namespaces/projects.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import type { Access } from './access.ts';
import { inGroup, inProject } from './project-access.ts';

/** What lives below groups and projects alike is declared once, for a parent of either kind. */

/** The group or project of a request. */
export type Parent = MemberSource & {
  readonly full_path: string;
  /** The caller's role; an administrator acts as Owner. */
  readonly role: number;
} & (
    | { readonly type: 'group'; readonly group: Group; readonly project?: never }
    | { readonly type: 'project'; readonly project: Project; readonly group?: never }
  );

export interface InParent {
  readonly parent: Parent;
  readonly caller: SignedInCaller;
}

/** What each kind has of its own. */
export interface Pair<OfGroups, OfProjects = OfGroups> {
  readonly group: OfGroups;
  readonly project: OfProjects;
}

/** One of the two kinds, as a declaration sees it. */
export interface ParentKind {
  readonly type: 'group' | 'project';
  /** In the texts of refusals: `404 Group Not Found`. */
  readonly name: 'Group' | 'Project';
  readonly path: '/groups/:id' | '/projects/:id';
  /** Signed-in callers with this ability in the group or project. */
  may(abilities: Pair<GroupAbilityName, ProjectAbilityName>): Access<InParent>;
  /** This kind's part of a pair. */
  own<Own>(pair: Pair<Own>): Own;
}

const GROUP: ParentKind = {
  type: 'group',
  name: 'Group',
  path: '/groups/:id',
  may: ({ group }) => inGroup(group).map(({ group, caller }) => ({ parent: groupParent(caller, group), caller })),
  own: ({ group }) => group,
};

const PROJECT: ParentKind = {
  type: 'project',
  name: 'Project',
  path: '/projects/:id',
  may: ({ project }) =>
    inProject(project).map(({ project, caller }) => ({ parent: projectParent(caller, project), caller })),
  own: ({ project }) => project,
};

function groupParent(caller: SignedInCaller, group: Group): Parent {
  const { full_path } = group;
  return { ...groupSource(group.id), type: 'group', full_path, role: roleInGroup(caller, group), group };
}

function projectParent(caller: SignedInCaller, project: Project): Parent {
  const { full_path } = project;
  return { ...projectSource(project), type: 'project', full_path, role: roleIn(caller, project), project };
}

/** A group or project as the caller sees it. */
export function parentOf(caller: SignedInCaller, { group, project }: Place): Parent {
  return project ? projectParent(caller, project) : groupParent(caller, group!);
}

/** The caller as he stands in the transaction, with this ability in the group or project still. Throws `AccessRevoked` to all others. */
export async function stillIn(
  tx: Transaction,
  { parent, caller }: InParent,
  { group, project }: Pair<GroupAbilityName, ProjectAbilityName>,
): Promise<void> {
  if (parent.group) await stillInGroup(tx, caller, parent.group.id, group);
  else await stillInProject(tx, caller, parent.project.id, project);
}

/** The turn of those who look over a whole hierarchy of groups for a title that they want to have: that of its top. */
export function turnOf(things: string, { full_path }: Pick<Parent, 'full_path'>): string {
  return `${things} below ${full_path.split('/')[0]!.toLowerCase()}`;
}

/** `export const [listGroupMembers, listProjectMembers] = forBoth((parent) => endpoint({ ... }))` */
export function forBoth<Made>(declare: (parent: ParentKind) => Made): readonly [ofGroups: Made, ofProjects: Made] {
  return [declare(GROUP), declare(PROJECT)];
}
