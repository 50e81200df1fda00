import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import type { ParentKind } from '#http/access/parents.ts';
import {
  inGroup,
  inGroupAllowingAnonymous,
  inProject,
  inProjectAllowingAnonymous,
} from '#http/access/project-access.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { WikiAbility } from '#repositories/ref-updates/move-refs.ts';

/** Access to wikis (contract/operations.md §2.2 "Rights"). */

/** Throws 404 on the free tier, because group wikis need a paid tier. */
async function requirePaidTier({ services }: AccessCall): Promise<void> {
  if (services.config.tier === 'free') throw notFound();
}

/** Creates the access to read the wiki of a project or group, also without signing in if it is public. */
export function readWikiAccess({ type }: ParentKind): Access<{ parent: GroupOrProject; caller: Caller }> {
  if (type === 'project')
    return inProjectAllowingAnonymous('read_wiki').map(({ project, caller }) => ({ parent: { project }, caller }));
  return inGroupAllowingAnonymous('read_wiki')
    .require(requirePaidTier)
    .map(({ group, caller }) => ({ parent: { group }, caller }));
}

/** Creates the access to change the wiki of a project or group. */
export function writeWikiAccess(
  { type }: ParentKind,
  ability: WikiAbility,
): Access<{ parent: GroupOrProject; caller: SignedInCaller }> {
  if (type === 'project') return inProject(ability).map(({ project, caller }) => ({ parent: { project }, caller }));
  return inGroup(ability)
    .require(requirePaidTier)
    .map(({ group, caller }) => ({ parent: { group }, caller }));
}
