import { type Group, roleInGroup } from '../../../access/groups.ts';
import {
  findMembership,
  groupSource,
  type MemberSource,
  type Membership,
  projectSource,
} from '../../../access/memberships.ts';
import { type Project, roleIn } from '../../../access/projects.ts';
import { MAINTAINER, OWNER } from '../../../access/roles.ts';
import type { HistoryName } from '../../../history/index.ts';
import { type Access, type AccessCall, access } from '../../../http/access/access.ts';
import { inGroup, inProject } from '../../../http/access/project-access.ts';
import { forbidden, nestedNotFound } from '../../../http/endpoint/refusal.ts';
import type { SignedIn } from '../../../identity/caller.ts';

/** Groups and projects have their members alike: what differs between them is here (contract/planning.md §3.4). */

/** The group or project of a request, with what decides about its members. */
export interface Source extends MemberSource {
  readonly full_path: string;
  /** Of the caller; an administrator acts as Owner. */
  readonly callerRole: number;
  /** It must keep a live Owner of its own. */
  readonly needsOwner: boolean;
  /** In a personal namespace, whose owner stays. */
  readonly personal: boolean;
}

export type Sourced = { source: Source; caller: SignedIn };

/** One of the two kinds: where its endpoints are, who may use them, what they record. */
export interface SourceKind<Path extends string = string> {
  readonly path: Path;
  /** In the text of its 404. */
  readonly name: 'Project' | 'Group';
  /** The least role that manages members. */
  readonly manager: number;
  readonly reading: () => Access<Sourced>;
  readonly managing: () => Access<Sourced>;
  /** Whoever sees the source: everybody may leave. */
  readonly leaving: () => Access<Sourced>;
  readonly records: {
    readonly add: readonly HistoryName[];
    readonly change: readonly HistoryName[];
    readonly remove: readonly HistoryName[];
  };
}

function ofGroup(ability: 'read_group' | 'read_group_members' | 'admin_group_member'): Access<Sourced> {
  return sourced(inGroup(ability), ({ group, caller }) => ({
    ...groupSource(group.id),
    full_path: group.full_path,
    callerRole: roleInGroup(caller, group),
    needsOwner: group.parent_id === null,
    personal: false,
  }));
}

function ofProject(ability: 'read_project' | 'read_members' | 'admin_project_member'): Access<Sourced> {
  return sourced(inProject(ability), ({ project, caller }) => ({
    ...projectSource(project),
    full_path: project.full_path,
    callerRole: roleIn(caller, project),
    needsOwner: false,
    personal: project.namespace_kind === 'user',
  }));
}

type InGroup = { group: Group; caller: SignedIn };
type InProject = { project: Project; caller: SignedIn };

function sourced<Found extends InGroup | InProject>(
  inner: Access<Found>,
  sourceOf: (found: Found) => Source,
): Access<Sourced> {
  const found = new WeakMap<Sourced, Found>();
  return access<Sourced>({
    who: inner.who,
    label: inner.label,
    admit: inner.admit,
    async find(call) {
      const what = await inner.find(call);
      const handed = { source: sourceOf(what), caller: what.caller };
      found.set(handed, what);
      return handed;
    },
    allow: (call, handed) => inner.allow(call, found.get(handed) as Found),
  });
}

export const groupKind = {
  path: '/groups/:id',
  name: 'Group',
  manager: OWNER,
  reading: () => ofGroup('read_group_members'),
  managing: () => ofGroup('admin_group_member'),
  leaving: () => ofGroup('read_group'),
  records: {
    add: ['member_created'],
    change: ['member_updated'],
    // A member of projects below leaves them, too.
    remove: ['left Project', 'member_destroyed'],
  },
} as const satisfies SourceKind;

export const projectKind = {
  path: '/projects/:id',
  name: 'Project',
  manager: MAINTAINER,
  reading: () => ofProject('read_members'),
  managing: () => ofProject('admin_project_member'),
  leaving: () => ofProject('read_project'),
  records: {
    add: ['joined Project', 'member_created'],
    change: ['member_updated'],
    remove: ['left Project', 'member_destroyed'],
  },
} as const satisfies SourceKind;

/** The direct membership that `:user_id` names. */
export const directMember = {
  name: 'membership',
  find: ({ db, params }: AccessCall, { source }: Sourced) => findMembership(db, source, params.user_id as number),
  missing: nestedNotFound,
} as const;

/** The same for its removal: only managers learn who is a member, and everybody about himself. */
export const removableMember = (kind: SourceKind) => ({
  ...directMember,
  find(call: AccessCall, { source, caller }: Sourced): Promise<Membership | null> {
    const self = call.params.user_id === caller.user.id;
    if (!self && source.callerRole < kind.manager) throw forbidden();
    return findMembership(call.db, source, call.params.user_id as number);
  },
});
