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

/** Who reads and writes wikis (contract/operations.md §2.2 "Rights"). */

/** Wikis of groups are an offer of the paid tiers. */
async function refuseGroupsOnFree({ services }: AccessCall): Promise<void> {
  if (services.config.tier === 'free') throw notFound();
}

export function readingWiki({ type }: ParentKind): Access<{ place: GroupOrProject; caller: Caller }> {
  if (type === 'project')
    return inProjectAllowingAnonymous('read_wiki').map(({ project, caller }) => ({ place: { project }, caller }));
  return inGroupAllowingAnonymous('read_wiki')
    .require(refuseGroupsOnFree)
    .map(({ group, caller }) => ({ place: { group }, caller }));
}

export function writingWiki(
  { type }: ParentKind,
  ability: WikiAbility,
): Access<{ place: GroupOrProject; caller: SignedInCaller }> {
  if (type === 'project') return inProject(ability).map(({ project, caller }) => ({ place: { project }, caller }));
  return inGroup(ability)
    .require(refuseGroupsOnFree)
    .map(({ group, caller }) => ({ place: { group }, caller }));
}
