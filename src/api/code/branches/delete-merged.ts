import type { SignedInCaller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { rulesFor } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { mergedInto } from '#git/commits/ancestry.ts';
import { HEADS } from '#git/ref-names.ts';
import { listRefs, type Ref, zeroId } from '#git/refs/refs.ts';
import { branchTip } from '#git/refs/revision.ts';
import { defineJob } from '#jobs/job.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { toDeleteUnprotected } from '#repositories/ref-updates/ref-permissions.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';

/**
 * Deletes every merged branch that is not protected, in the caller's name and by the rights that he has while it does:
 * each on its own, so that each has its event.
 */
export const deleteMerged = defineJob({
  kind: 'delete_merged_branches',
  async handle(services: RefServices, { projectId, userId }: { readonly projectId: number; readonly userId: number }) {
    const db = services.database.reader;
    const user = await readUser(db, userId);
    if (user === null) return;
    const caller: SignedInCaller = { user, token: null, address: null };
    const project = await findProject(db, caller, String(projectId));
    if (project === null) return;
    try {
      for (const ref of await mergedBranches(services, project)) {
        if ((await deleteOne(services, caller, project, ref)) === 'readOnly') return;
      }
    } catch (error) {
      // Whoever has asked for it may not do it any more.
      if (!(error instanceof AccessRevoked)) throw error;
    }
  },
});

async function deleteOne(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, id }: Ref,
): Promise<undefined | 'readOnly'> {
  const may = toDeleteUnprotected(name.slice(HEADS.length));
  const changes = [{ ref: name, oldId: id, newId: zeroId }];
  const moved = await moveRefs(services, { project, by: { caller, may }, changes });
  if (!isFailure(moved) || moved.code === 'isDefault' || moved.code === 'isProtected') return undefined;
  if (moved.code === 'readOnly') return 'readOnly';
  // It moved meanwhile: the job is tried again with fresh eyes.
  throw new Error(`The merged ${name} could not be deleted: ${moved.code}`);
}

/** Those that are neither the default branch, nor at its tip, nor protected. */
async function mergedBranches({ database, git }: RefServices, project: Project): Promise<Ref[]> {
  const repository = repositoryOf(git, project);
  const base = await branchTip(repository, project.default_branch);
  if (base === null) return [];
  const rules = await protectionRules(database.reader, project.id);
  const candidates = (await listRefs(git, repository, HEADS)).filter(({ name, id }) => {
    const branch = name.slice(HEADS.length);
    return id !== base && branch !== project.default_branch && rulesFor(rules, branch).length === 0;
  });
  const ids = candidates.map(({ id }) => id);
  const merged = await mergedInto(git, repository, ids, base);
  return candidates.filter(({ id }) => merged.has(id));
}
