import { family } from '#http/endpoint/resource-module.ts';
import { mergeAfterPipelines, mergeAfterThreads, mergeWhenReady } from './auto-merge/job.ts';
import { closeByCommits, closeIssuesByCommits } from './closing-issues/close-by-commits.ts';
import { closeIssues } from './closing-issues/close-issues.ts';
import * as endpoints from './endpoints.ts';
import { keepHeads } from './heads/head-refs.ts';
import { followBranches } from './heads/merge-request-heads.ts';
import { checkMergeRequests } from './merging/check-mergeability.ts';
import { mergeByPush } from './merging/merge-by-push.ts';
import { mergeRequestsEnd, mergeRequestsToGhost, unassignLeavers } from './on-delete.ts';
import { rebaseMergeRequest } from './rebase/job.ts';

// What other families may use of merge requests.
export {
  managingMergeRequest,
  readingMergeRequest,
  seeingMergeRequest,
} from './access.ts';
export { actingOnReadable, readingItsCodeSignedIn } from './code-access.ts';
export { ListedMergeRequest, MergeRequestInList, mergeRequestState, mergeStatusField } from './entities.ts';
export { importMergeRequest } from './import.ts';
export { filterRules } from './listing/parameters.ts';
export { mergeRequestsOfProject, ofProjectParams } from './listing/project-merge-requests.ts';
export { mergeRequestsTurn } from './lock-key.ts';
export { SHA_DIFFERS } from './merging/endpoints.ts';
export { mergeStatusNow } from './merging/live-status.ts';
export { mergeRequestThing } from './noteable.ts';
export { commandedMergeRequests } from './quick-actions/update.ts';
export { type Described, describe } from './versions/version-summary.ts';
export { changesOf, newestCommitsOf, spanOf } from './versions/versions.ts';

export const mergeRequests = family({
  endpoints,
  jobs: [
    checkMergeRequests,
    closeIssues,
    closeIssuesByCommits,
    keepHeads,
    mergeByPush,
    mergeWhenReady,
    rebaseMergeRequest,
  ],
  subscriptions: [
    followBranches,
    closeByCommits,
    mergeAfterPipelines,
    mergeAfterThreads,
    mergeRequestsEnd,
    mergeRequestsToGhost,
    unassignLeavers,
  ],
});
