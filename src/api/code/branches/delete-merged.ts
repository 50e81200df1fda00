import { rulesFor } from '../../../access/branches.ts';
import { findProject, type Project } from '../../../access/projects.ts';
import { protectionRules } from '../../../access/protected-branches.ts';
import { defineJob } from '../../../background/job.ts';
import { mergedInto } from '../../../git/ancestry.ts';
import { HEADS } from '../../../git/names.ts';
import { listRefs, type Ref, zeroId } from '../../../git/refs.ts';
import { branchTip } from '../../../git/revision.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { isRefused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';

/** Deletes every merged branch that is not protected, in the caller's name: each on its own, so that each has its event. */
export const deleteMerged = defineJob({
  kind: 'delete_merged_branches',
  async handle(rooms: RefRooms, { projectId, userId }: { readonly projectId: number; readonly userId: number }) {
    const project = await findProject(rooms.database.reader, NOBODY, String(projectId));
    if (project === null || project.archived || project.read_only) return;
    for (const { name, id } of await mergedBranches(rooms, project)) {
      const changes = [{ ref: name, oldId: id, newId: zeroId }];
      const moved = await moveRefs(rooms, { project, userId, changes });
      if (!isRefused(moved)) continue;
      if (moved.code === 'readOnly') return;
      // It moved meanwhile: the job is tried again with fresh eyes.
      throw new Error(`The merged ${name} could not be deleted: ${moved.code}`);
    }
  },
});

/** Those that are neither the default branch, nor at its tip, nor protected. */
async function mergedBranches({ database, git }: RefRooms, project: Project): Promise<Ref[]> {
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
