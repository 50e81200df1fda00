import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteIssuablesOfOwner, MERGE_REQUESTS, unassignFormerMembers } from '../issuables/index.ts';
import {
  autoMergeJob,
  autoMergeOnPipelineDeleted,
  autoMergeOnPipelineFinished,
  autoMergeOnThreadsResolved,
} from './auto-merge/job.ts';
import { enqueueHeadRefDeletion } from './changes.ts';
import { closeIssuesByCommits, closeIssuesOnPush } from './closing-issues/close-by-commits.ts';
import { closeIssuesAfterMerge } from './closing-issues/close-issues.ts';
import * as endpoints from './endpoints.ts';
import { updateHeadRefs } from './heads/head-refs.ts';
import { updateMergeRequestsOnPush } from './heads/merge-request-heads.ts';
import { checkMergeRequests } from './merging/check-mergeability.ts';
import { mergeByCommandJob } from './merging/merge-by-command.ts';
import { markMergedByPush } from './merging/merge-by-push.ts';
import { mergeRequestPushOptions } from './push-options/apply.ts';
import { rebaseJob } from './rebase/job.ts';

// Exports for other modules.
export {
  mergeRequestAccessWithAbility,
  readableMergeRequestAccess,
  signedInMergeRequestAccess,
} from './access.ts';
export { importMergeRequest } from './changes.ts';
export { authorizedMergeRequestAccess, signedInMergeRequestCodeAccess } from './code-access.ts';
export { ListedMergeRequest, MergeRequestInList, mergeRequestState, mergeStatusField } from './entities.ts';
export { mergeRequestFilterRules } from './listing/parameters.ts';
export { listMergeRequestsOfProject, projectMergeRequestParams } from './listing/project-merge-requests.ts';
export { mergeRequestsLockKey } from './lock-key.ts';
export { SHA_DIFFERS } from './merging/endpoints.ts';
export { loadMergeStatuses } from './merging/live-status.ts';
export { mergeRequestNoteable } from './noteable.ts';
export { mergeRequestQuickActions } from './quick-actions/update.ts';
export { summarizeVersion, type VersionSummary } from './versions/version-summary.ts';
export { diffComparison, listNewestCommits, resolveComparison } from './versions/versions.ts';

export const mergeRequests = resourceModule({
  endpoints,
  jobs: [
    checkMergeRequests,
    closeIssuesAfterMerge,
    closeIssuesByCommits,
    updateHeadRefs,
    markMergedByPush,
    mergeByCommandJob,
    autoMergeJob,
    rebaseJob,
  ],
  subscriptions: [
    updateMergeRequestsOnPush,
    closeIssuesOnPush,
    autoMergeOnPipelineFinished,
    autoMergeOnPipelineDeleted,
    autoMergeOnThreadsResolved,
    ...deleteIssuablesOfOwner(MERGE_REQUESTS, enqueueHeadRefDeletion),
    unassignFormerMembers(MERGE_REQUESTS),
  ],
  pushOptionHandlers: [mergeRequestPushOptions],
});
