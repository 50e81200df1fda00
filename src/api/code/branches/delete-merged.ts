import { rulesFor } from '../../../access/branches.ts';
import { findProject } from '../../../access/projects.ts';
import { protectionRules } from '../../../access/protected-branches.ts';
import { defineJob } from '../../../background/job.ts';
import { type Clock, today } from '../../../clock.ts';
import { mergedInto } from '../../../git/ancestry.ts';
import { listRefs, zeroId } from '../../../git/refs.ts';
import { branchTip } from '../../../git/revision.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { isRefused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';

const HEADS = 'refs/heads/';

/** Deletes every merged branch that is not protected, in the caller's name: each on its own, so that each has its event. */
export const deleteMerged = defineJob({
  kind: 'delete_merged_branches',
  async handle(
    rooms: SettlingRooms & { readonly clock: Clock },
    { projectId, userId }: { projectId: number; userId: number },
  ) {
    const { database, git } = rooms;
    const project = await findProject(database.reader, NOBODY, String(projectId));
    if (project === null || project.archived || project.read_only) return;
    const repository = repositoryOf(git, project);
    const base = await branchTip(repository, project.default_branch);
    if (base === null) return;
    const rules = await protectionRules(database.reader, projectId);
    const candidates = (await listRefs(git, repository, HEADS)).filter(({ name, id }) => {
      const branch = name.slice(HEADS.length);
      return id !== base && branch !== project.default_branch && rulesFor(rules, branch).length === 0;
    });
    const merged = await mergedInto(
      git,
      repository,
      candidates.map(({ id }) => id),
      base,
    );
    const gone = candidates.filter(({ id }) => merged.has(id));
    for (const { name, id } of gone) {
      const changes = [{ ref: name, oldId: id, newId: zeroId }];
      const moved = await moveRefs(rooms, { project, userId, changes });
      if (!isRefused(moved)) continue;
      if (moved.code === 'readOnly') return;
      // It moved meanwhile: the job is tried again with fresh eyes.
      throw new Error(`The merged ${name} could not be deleted: ${moved.code}`);
    }
  },
});
