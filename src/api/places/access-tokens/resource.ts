import { mayInGroup, mayInProject } from '../../../access/abilities.ts';
import { roleInGroup } from '../../../access/groups.ts';
import { groupSource, type MemberSource, projectSource } from '../../../access/memberships.ts';
import { roleIn } from '../../../access/projects.ts';
import type { SourceType } from '../../../database/tables/access.ts';
import type { AuditEventName } from '../../../history/index.ts';
import { type Access, type AccessCall, access, refuseAnonymous, signedInCaller } from '../../../http/access/access.ts';
import { groupOf, projectOf } from '../../../http/access/project-access.ts';
import { unauthorized } from '../../../http/endpoint/refusal.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { endReusedChain } from '../../identity/personal-access-tokens/index.ts';

/** Projects and groups have their tokens alike: what differs between them is here (contract/conventions.md §10). */

/** The project or group of a request, with what decides about its tokens. */
export interface Resource extends MemberSource {
  readonly full_path: string;
  /** Of the caller; an administrator acts as Owner. */
  readonly callerRole: number;
  /** May the caller manage the tokens of all its bots? */
  readonly managed: boolean;
}

export type InResource = { resource: Resource; caller: SignedIn };

/** One of the two kinds: where its endpoints are, how its path is read, what its tokens leave in the audit log. */
export interface ResourceKind<Path extends string = string> {
  readonly type: SourceType;
  readonly path: Path;
  /** 404 unless the caller sees it. */
  readonly find: (call: AccessCall) => Promise<Resource>;
  readonly records: { readonly created: AuditEventName; readonly deleted: AuditEventName };
}

export const projectKind = {
  type: 'project',
  path: '/projects/:id',
  async find(call) {
    const project = await projectOf(call);
    return {
      ...projectSource(project),
      full_path: project.full_path,
      callerRole: roleIn(call.caller, project),
      managed: mayInProject(call.caller, 'manage_project_access_tokens', project),
    };
  },
  records: { created: 'project_access_token_created', deleted: 'project_access_token_deleted' },
} as const satisfies ResourceKind;

export const groupKind = {
  type: 'group',
  path: '/groups/:id',
  async find(call) {
    const group = await groupOf(call);
    return {
      ...groupSource(group.id),
      full_path: group.full_path,
      callerRole: roleInGroup(call.caller, group),
      managed: mayInGroup(call.caller, 'manage_group_access_tokens', group),
    };
  },
  records: { created: 'group_access_token_created', deleted: 'group_access_token_deleted' },
} as const satisfies ResourceKind;

/** Signed-in callers who see the resource; the action itself asks for more, with an answer of its own. */
export function seeing({ type, find }: ResourceKind): Access<InResource> {
  return access({
    who: 'user',
    label: `${type}:read_${type}`,
    admit: refuseAnonymous,
    find: async (call) => ({ resource: await find(call), caller: signedInCaller(call.caller) }),
    allow: () => {},
  });
}

/** Those who manage its tokens; to others who see it the lists are closed with 401. */
export function managing(kind: ResourceKind): Access<InResource> {
  return seeing(kind).and((_call, { resource }) => {
    if (!resource.managed) throw unauthorized();
  }, `${kind.type}:manage_${kind.type}_access_tokens`);
}

/** Where a revoked token gives a theft away (contract/conventions.md §10 "Reuse detection"). */
export function rotating(inner: Access<InResource>): Access<InResource> {
  return inner.onDeadToken(endReusedChain);
}
