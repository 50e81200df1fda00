import { mayForcePush } from '../../../../access/branches.ts';
import { findMergeRequest, type MergeRequest } from '../../../../access/merge-requests.ts';
import type { Project } from '../../../../access/projects.ts';
import { protectionRules } from '../../../../access/protected-branches.ts';
import { enqueue } from '../../../../background/job.ts';
import { branchTip } from '../../../../git/revision.ts';
import type { SignedIn } from '../../../../identity/caller.ts';
import { type Refused, refused } from '../../../../refused.ts';
import { mayCommitTo } from '../../../../repositories/ref-rights.ts';
import { repositoryOf } from '../../../../repositories/repository.ts';
import type { RefRooms } from '../../../../repositories/rooms.ts';
import { rebaseMergeRequest } from './job.ts';
import { insertRebase } from './store.ts';

type RebaseRefusal = 'noSource' | 'mayNotPush' | 'mayNotForce' | 'locked' | 'readOnly';

/** Has it rebased soon, as its source branch is now; one of several who ask for it at once. */
export async function beginRebase(
  { database, git, acting }: RefRooms,
  caller: SignedIn,
  project: Project,
  { id, iid, source_branch }: MergeRequest,
  skipCi: boolean,
): Promise<{ readonly rebase_in_progress: true } | Refused<RebaseRefusal>> {
  const { reader } = database.current();
  const head = await branchTip(repositoryOf(git, project), source_branch);
  if (head === null) return refused('noSource');
  if (!(await mayCommitTo(reader, caller, project, source_branch))) return refused('mayNotPush');
  if (!mayForcePush(await protectionRules(reader, project.id), source_branch)) return refused('mayNotForce');
  if (project.read_only) return refused('readOnly');
  return acting(caller, async (act) => {
    const now = await findMergeRequest(act, caller, project.id, iid);
    if (now?.state !== 'opened') return refused('locked');
    if (!(await insertRebase(act, { id, userId: caller.user.id, head, skipCi }))) return refused('locked');
    await enqueue(act, rebaseMergeRequest, { mergeRequestId: id }, { key: `${id}` });
    return { rebase_in_progress: true };
  });
}
