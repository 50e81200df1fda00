import { family } from '../../../http/endpoint/family.ts';
import { mergeAfterPipelines, mergeAfterThreads, mergeWhenReady } from './auto-merge/job.ts';
import { checkMergeRequests } from './check.ts';
import { closeByCommits, closeIssuesByCommits } from './close-by-commits.ts';
import { closeIssues } from './close-issues.ts';
import * as endpoints from './endpoints.ts';
import { followBranches } from './heads.ts';
import { keepHeads } from './keep-heads.ts';
import { mergeRequestsEnd, mergeRequestsToGhost, unassignLeavers } from './leaving.ts';
import { mergeByPush } from './merge-by-push.ts';
import { rebaseMergeRequest } from './rebase/job.ts';

// What other families may use of merge requests.
export {
  managingMergeRequest,
  readingMergeRequest,
  seeingMergeRequest,
} from './access.ts';
export { actingOnReadable, readingItsCodeSignedIn } from './code-access.ts';
export { commandedMergeRequests } from './commanded.ts';
export { type Described, describe } from './describe.ts';
export { ListedMergeRequest, MergeRequestInList, mergeRequestState, mergeStatusField } from './entities.ts';
export { importMergeRequest } from './import.ts';
export { filterRules } from './list-parameters.ts';
export { mergeStatusNow } from './looked-into.ts';
export { SHA_DIFFERS } from './merge-endpoints.ts';
export { mergeRequestsOfProject, ofProjectParams } from './of-project.ts';
export { mergeRequestThing } from './thing.ts';
export { mergeRequestsTurn } from './turn.ts';
export { changesOf, newestCommitsOf, spanOf } from './versions.ts';

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
