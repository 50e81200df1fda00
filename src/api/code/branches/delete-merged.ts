import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMatchingRules } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { filterReachable } from '#git/commits/ancestry.ts';
import { HEADS } from '#git/ref-names.ts';
import { listRefs, type Ref, ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { defineJob } from '#jobs/job.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { deleteUnprotectedBranchPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';

/**
 * Deletes every merged, unprotected branch on behalf of the caller, with the caller's current rights. Each branch is
 * deleted separately, so that each gets its own event.
 */
export const deleteMergedBranchesJob = defineJob({
  kind: 'delete_merged_branches',
  async handle(services: RefServices, { projectId, userId }: { readonly projectId: number; readonly userId: number }) {
    const db = services.database.reader;
    const user = await findUserById(db, userId);
    if (user === null) return;
    const caller: SignedInCaller = { user, token: null, address: null };
    const project = await findProject(db, caller, String(projectId));
    if (project === null) return;
    try {
      for (const ref of await findMergedBranches(services, project)) {
        if ((await deleteMergedBranch(services, caller, project, ref)) === 'readOnly') return;
      }
    } catch (error) {
      // The caller has lost access since the request.
      if (!(error instanceof AccessRevoked)) throw error;
    }
  },
});

async function deleteMergedBranch(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, id }: Ref,
): Promise<undefined | 'readOnly'> {
  const permission = deleteUnprotectedBranchPermission(name.slice(HEADS.length));
  const changes = [{ ref: name, oldId: id, newId: ZERO_ID }];
  const moveResult = await updateRepositoryRefs(services, { project, actor: { caller, permission }, changes });
  if (!isFailure(moveResult) || moveResult.code === 'isDefault' || moveResult.code === 'isProtected') return undefined;
  if (moveResult.code === 'readOnly') return 'readOnly';
  // The branch moved meanwhile: the job is retried with the current refs.
  throw new Error(`Cannot delete the merged branch ${name}: ${moveResult.code}`);
}

/** Returns merged branches that are not the default branch, not at its tip and not protected. */
async function findMergedBranches({ database, git }: RefServices, project: Project): Promise<Ref[]> {
  const repository = getRepository(git, project);
  const defaultTip = await findBranchHead(repository, project.default_branch);
  if (defaultTip === null) return [];
  const rules = await listProtectionRules(database.reader, project.id);
  const candidates = (await listRefs(git, repository, HEADS)).filter(({ name, id }) => {
    const branch = name.slice(HEADS.length);
    return id !== defaultTip && branch !== project.default_branch && findMatchingRules(rules, branch).length === 0;
  });
  const ids = candidates.map(({ id }) => id);
  const mergedIds = await filterReachable(git, repository, ids, defaultTip);
  return candidates.filter(({ id }) => mergedIds.has(id));
}
