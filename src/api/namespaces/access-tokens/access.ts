import { endReusedChain } from '#api/identity/personal-access-tokens/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import type { Access } from '#http/access/access.ts';
import type { InParent, Parent, ParentKind } from '#http/access/parents.ts';
import { unauthorized } from '#http/errors/http-error.ts';

/** Who may do what with the tokens of a project or group (contract/conventions.md §10). */

/** May this caller manage the tokens of all its bots? */
export function managesTokens(caller: SignedInCaller, { group, project }: Parent): boolean {
  return group
    ? mayInGroup(caller, 'manage_group_access_tokens', group)
    : mayInProject(caller, 'manage_project_access_tokens', project);
}

/** May this caller have new ones? Not in a group that is archived. */
export function makesTokens(caller: SignedInCaller, { group, project }: Parent): boolean {
  return group
    ? mayInGroup(caller, 'create_group_access_token', group)
    : mayInProject(caller, 'create_project_access_token', project);
}

/** Signed-in callers who see it; the action itself asks for more, with an answer of its own. */
export function seeing(parent: ParentKind): Access<InParent> {
  return parent.may({ group: 'read_group', project: 'read_project' });
}

/** Those who manage its tokens; to others who see it the lists are closed with 401. */
export function managing(parent: ParentKind): Access<InParent> {
  return seeing(parent).require((_call, { caller, parent }) => {
    if (!managesTokens(caller, parent)) throw unauthorized();
  }, `${parent.type}:manage_${parent.type}_access_tokens`);
}

/** Where a revoked token gives a theft away (contract/conventions.md §10 "Reuse detection"). */
export function rotating(inner: Access<InParent>): Access<InParent> {
  return inner.onInvalidToken(endReusedChain);
}
