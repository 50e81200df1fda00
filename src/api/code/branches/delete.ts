import type { SignedInCaller } from '#authentication/caller.ts';
import { findMatchingRules, mayDeleteProtectedBranch } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { deleteBranchPermission } from '#repositories/ref-updates/ref-permissions.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { BranchRow } from './entities.ts';

type DeleteFailure = 'isDefault' | 'isProtected' | 'readOnly' | 'notFound' | 'moved';

/** Deletes a branch if its tip has not moved since it was read. Protection rules for its name stay. */
export async function deleteBranchAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, commit }: Pick<BranchRow, 'name' | 'commit'>,
): Promise<undefined | Failure<DeleteFailure>> {
  if (project.read_only) return fail('readOnly');
  if (name === project.default_branch) return fail('isDefault');
  const rules = await listProtectionRules(services.database.reader, project.id);
  if (findMatchingRules(rules, name).length > 0 && !mayDeleteProtectedBranch(caller, project))
    return fail('isProtected');
  const change = { ref: HEADS + name, oldId: commit.id, newId: ZERO_ID };
  const moveResult = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: deleteBranchPermission(name) },
    changes: [change],
  });
  if (!isFailure(moveResult)) return undefined;
  if (moveResult.code === 'readOnly' || moveResult.code === 'isDefault' || moveResult.code === 'isProtected')
    return fail(moveResult.code);
  return moveResult.code === 'moved' && moveResult.values.actual === null ? fail('notFound') : fail('moved', { name });
}
