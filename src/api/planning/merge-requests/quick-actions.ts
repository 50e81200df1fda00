import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { AccessRevoked, type CurrentAccess } from '#authorization/current-access.ts';
import {
  filterMergeRequestReaders,
  findMergeRequests,
  type MergeRequest,
  mayUpdateMergeRequest,
} from '#authorization/merge-requests.ts';
import { loadHeadPipelines } from '#authorization/pipelines.ts';
import { mayForcePush } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { mayCommitTo, mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { isFailure } from '#runtime/failure.ts';
import { addApproval, canApprove, loadApprovals, removeApproval, updateReviewState } from '../approval-rows/index.ts';
import { loadAssignees, loadLabels, MERGE_REQUESTS, MERGE_REQUESTS_BY_REVIEWER } from '../issuables/index.ts';
import { type MergeRequestOperations, NEW_SUBJECT_STATE, type QuickActionSubject } from '../quick-actions/index.ts';
import { isPipelineActive } from './auto-merge/changes.ts';
import { type MergeServices, mergeNowOrWhenReady } from './merging/merge.ts';
import { isTooEarly } from './merging/mergeability.ts';
import { findActiveRebases, scheduleRebase } from './rebase.ts';
import { updateMergeError } from './store.ts';

// Merge requests as subjects of quick actions.

/** Loads the subject for an existing merge request. */
export async function loadMergeRequestSubject(
  uow: UnitOfWork<SignedInCaller>,
  { caller, project }: Pick<CurrentAccess, 'caller' | 'project'>,
  mergeRequest: MergeRequest,
): Promise<QuickActionSubject> {
  const mayUpdate = mayUpdateMergeRequest(caller, project, mergeRequest);
  const loadUserIds = async (kind: typeof MERGE_REQUESTS_BY_REVIEWER) =>
    (await loadAssignees(uow, kind, [mergeRequest.id])).map(({ user_id }) => user_id);
  return {
    ...createBaseSubject(uow, project),
    noteable: mergeRequest,
    mergeRequest: createMergeRequestOperations(uow, { caller, project }, mergeRequest),
    mayUpdate,
    mayTrackTime: mayUpdate,
    currentState: {
      ...NEW_SUBJECT_STATE,
      ...mergeRequest,
      labels: await loadLabels(uow, MERGE_REQUESTS, [mergeRequest.id]),
      assignees: await loadUserIds(MERGE_REQUESTS),
      reviewers: await loadUserIds(MERGE_REQUESTS_BY_REVIEWER),
    },
  };
}

/** Returns the subject for a merge request that is being created. */
export function newMergeRequestSubject(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  title: string,
): QuickActionSubject {
  return {
    ...createBaseSubject(uow, project),
    noteable: null,
    mayUpdate: true,
    mayTrackTime: true,
    currentState: { ...NEW_SUBJECT_STATE, title },
  };
}

/** Returns the properties of existing and new subjects. */
function createBaseSubject(uow: UnitOfWork<SignedInCaller>, project: Project) {
  return {
    type: 'MergeRequest',
    parent: { project },
    mayLink: false,
    mayManage: mayInProject(uow.actor, 'update_merge_request', project),
    filterReaders: (ids: readonly number[]) => filterMergeRequestReaders(uow, project, ids),
  } as const;
}

/** Returns the operations that quick actions execute on a merge request as the caller, with the permissions of the endpoints. */
function createMergeRequestOperations(
  uow: UnitOfWork<SignedInCaller>,
  { caller, project }: Pick<CurrentAccess, 'caller' | 'project'>,
  mergeRequest: MergeRequest,
): MergeRequestOperations {
  const { id, head_sha: headSha, source_branch: sourceBranch, state } = mergeRequest;
  const userId = caller.user.id;
  const loadApproverIds = async () => (await loadApprovals(uow, [id])).map(({ user_id }) => user_id);
  return {
    sourceBranch,
    headSha,
    mayApprove: async () =>
      canApprove({ tier: uow.tier, caller, project, mergeRequest, approverIds: await loadApproverIds() }),
    approve: () => addApproval(uow, project, mergeRequest, null),
    mayUnapprove: async () => state !== 'merged' && (await loadApproverIds()).includes(userId),
    unapprove: () => removeApproval(uow, project, mergeRequest),
    mayMerge: async () =>
      state === 'opened' &&
      mergeRequest.merge_status !== 'cannot_be_merged' &&
      !project.read_only &&
      (await mayMergeInto(uow, caller, project, mergeRequest.target_branch)),
    mustWaitToMerge: async () =>
      mergeRequest.draft ||
      isTooEarly(mergeRequest, uow.now) ||
      isPipelineActive((await loadHeadPipelines(uow, [id])).get(id)?.status ?? null),
    scheduleMerge: () => enqueue(uow, mergeByCommandJob, { mergeRequestId: id, userId, headSha }),
    mayRebase: async () =>
      state === 'opened' && !project.read_only && (await mayCommitTo(uow, caller, project, sourceBranch)),
    async findRebaseObstacle() {
      if (!mayForcePush(await listProtectionRules(uow, project.id), sourceBranch)) return 'forcePushForbidden';
      if (mergeRequest.merge_status === 'cannot_be_merged') return 'conflict';
      return (await findActiveRebases(uow, [id], uow.now)).has(id) ? 'inProgress' : null;
    },
    scheduleRebase: () => scheduleRebase(uow, { id, userId, head: headSha, skipCi: false }),
    requestReview: (reviewerId) => updateReviewState(uow, { mergeRequestId: id, userId: reviewerId }, 'unreviewed'),
  };
}

interface MergeByCommand {
  readonly mergeRequestId: number;
  /** The user who wrote the command. */
  readonly userId: number;
  readonly headSha: string;
}

/** Message for a merge that a quick action requested and that failed. */
const MERGE_FAILED = 'Merge failed: the merge request cannot be merged now.';

/** Merges a merge request by a quick action, or enables auto-merge if requirements are open. The merge request shows a failure. */
export const mergeByCommandJob = defineJob({
  kind: 'merge_by_quick_action',
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
      // Auto-merge fails if there is nothing to wait for; then the merge is tried immediately.
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
