import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteIssuablesOfOwner, MERGE_REQUESTS, unassignFormerMembers } from '../issuables/index.ts';
import {
  autoMergeJob,
  autoMergeOnPipelineDeleted,
  autoMergeOnPipelineFinished,
  autoMergeOnThreadsResolved,
} from './auto-merge/job.ts';
import { enqueueHeadRefDeletion } from './changes.ts';
import { closeIssuesAfterMerge, closeIssuesByCommits, closeIssuesOnPush } from './closing-issues/close-issues.ts';
import * as endpoints from './endpoints.ts';
import { updateHeadRefs } from './heads/head-refs.ts';
import { updateMergeRequestsOnPush } from './heads/merge-request-heads.ts';
import { checkMergeRequests } from './merging/check-mergeability.ts';
import { markMergedByPush } from './merging/mark-merged.ts';
import { mergeRequestPushOptions } from './push-options/apply.ts';
import { mergeByCommandJob } from './quick-actions.ts';
import { rebaseJob } from './rebase.ts';

// Exports for other modules.
export {
  authorizedMergeRequestAccess,
  mergeRequestAccessWithAbility,
  mergeRequestNoteable,
  readMergeRequestAccess,
  signedInMergeRequestAccess,
  signedInMergeRequestCodeAccess,
} from './access.ts';
export { importMergeRequest, mergeRequestsLockKey } from './changes.ts';
export { SHA_DIFFERS } from './endpoints.ts';
export { ListedMergeRequest, MergeRequestInList, mergeRequestState, mergeStatusField } from './entities.ts';
export { listMergeRequestsOfProject } from './listing/list.ts';
export { mergeRequestFilterRules, projectMergeRequestParams } from './listing/parameters.ts';
export { loadMergeStatuses } from './merging/live-status.ts';
export { mergeRequestQuickActions } from './update.ts';
export {
  diffComparison,
  listNewestCommits,
  resolveComparison,
  summarizeVersion,
  type VersionSummary,
} from './versions.ts';

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
