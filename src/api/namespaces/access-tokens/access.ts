import { revokeReusedChain } from '#api/identity/personal-access-tokens/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import type { Access } from '#http/access/access.ts';
import type { Parent, ParentContext, ParentKind } from '#http/access/parents.ts';
import { unauthorized } from '#http/errors/http-error.ts';

/** Permissions for the access tokens of a project or group (contract/conventions.md §10). */

/** Returns whether the caller may manage the tokens of all bots of the parent. */
export function mayManageTokens(caller: SignedInCaller, { group, project }: Parent): boolean {
  return group
    ? mayInGroup(caller, 'manage_group_access_tokens', group)
    : mayInProject(caller, 'manage_project_access_tokens', project);
}

/** Returns whether the caller may create tokens. Nobody may in an archived group. */
export function mayCreateTokens(caller: SignedInCaller, { group, project }: Parent): boolean {
  return group
    ? mayInGroup(caller, 'create_group_access_token', group)
    : mayInProject(caller, 'create_project_access_token', project);
}

/** Admits signed-in callers who can see the parent. The handler checks further permissions, with its own error. */
export function visibleParentAccess(parent: ParentKind): Access<ParentContext> {
  return parent.accessWith({ group: 'read_group', project: 'read_project' });
}

/** Admits callers who may manage the tokens of the parent. Other callers who can see the parent get 401. */
export function tokenManagerAccess(parent: ParentKind): Access<ParentContext> {
  return visibleParentAccess(parent)
    .require((_call, { caller, parent }) => {
      if (!mayManageTokens(caller, parent)) throw unauthorized();
    })
    .withLabel(`${parent.type}:manage_${parent.type}_access_tokens`);
}

/**
 * Adds reuse detection: using a revoked token revokes its whole chain (contract/conventions.md §10 "Reuse detection").
 */
export function withReuseDetection(innerAccess: Access<ParentContext>): Access<ParentContext> {
  return innerAccess.onInvalidToken(revokeReusedChain);
}
