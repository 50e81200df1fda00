import { isSignedIn } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequests } from '#authorization/merge-requests.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { defineJob } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { isFailure } from '#runtime/failure.ts';
import { updateMergeError } from '../store.ts';
import { type MergeServices, mergeNowOrWhenReady } from './merge.ts';

interface MergeByCommand {
  readonly mergeRequestId: number;
  /** The user who wrote the command. */
  readonly userId: number;
  readonly headSha: string;
}

/** Message for a merge that a quick action requested and that failed. */
const MERGE_FAILED = 'Merge failed: the merge request cannot be merged now.';

/** Merges a merge request by a quick action, or enables auto-merge if requirements are open. A failure is stored in it. */
export const mergeByCommandJob = defineJob({
  kind: 'merge_by_command',
  maxAttempts: 4,
  async handle(services: MergeServices, { mergeRequestId: id, userId, headSha }: MergeByCommand) {
    const db = services.database.forRequest().reader;
    const caller = await loadActor(db, userId);
    const [mergeRequest] = await findMergeRequests(db, caller, [id]);
    if (mergeRequest?.state !== 'opened' || !isSignedIn(caller)) return;
    const project = await findProject(db, caller, String(mergeRequest.project_id));
    if (project === null) return;
    const merge = (auto_merge: boolean) =>
      mergeNowOrWhenReady(services, caller, project, mergeRequest, { sha: headSha, auto_merge });
    try {
      // Auto-merge fails if there is nothing to wait for; then the merge is tried at once.
      const autoMergeResult = await merge(true);
      const isAutoMergeUnavailable = isFailure(autoMergeResult) && autoMergeResult.code === 'notMergeable';
      const result = isAutoMergeUnavailable ? await merge(false) : autoMergeResult;
      if (!isFailure(result)) return;
    } catch (error) {
      if (!(error instanceof AccessRevoked)) throw error;
    }
    await services.database.transaction((tx) => updateMergeError(tx, id, MERGE_FAILED));
  },
  onDead: (tx, { mergeRequestId: id }) => updateMergeError(tx, id, MERGE_FAILED),
});
