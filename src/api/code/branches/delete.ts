import type { SignedInCaller } from '#authentication/caller.ts';
import { mayDeleteProtected, rulesFor } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { toDeleteBranch } from '#repositories/ref-updates/ref-permissions.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { BranchRow } from './entities.ts';

type DeleteFailure = 'isDefault' | 'isProtected' | 'readOnly' | 'gone' | 'moved';

/** Deletes a branch whose tip is still the one that was read. A protection rule of its name stays. */
export async function deleteBranchAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, commit }: Pick<BranchRow, 'name' | 'commit'>,
): Promise<undefined | Failure<DeleteFailure>> {
  if (project.read_only) return fail('readOnly');
  if (name === project.default_branch) return fail('isDefault');
  const rules = await protectionRules(services.database.reader, project.id);
  if (rulesFor(rules, name).length > 0 && !mayDeleteProtected(caller, project)) return fail('isProtected');
  const change = { ref: HEADS + name, oldId: commit.id, newId: zeroId };
  const moved = await moveRefs(services, { project, by: { caller, may: toDeleteBranch(name) }, changes: [change] });
  if (!isFailure(moved)) return undefined;
  if (moved.code === 'readOnly' || moved.code === 'isDefault' || moved.code === 'isProtected') return fail(moved.code);
  return moved.code === 'moved' && moved.values.actual === null ? fail('gone') : fail('moved', { name });
}
