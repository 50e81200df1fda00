import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { MERGE_REQUESTS, subscribeTo, timeTracking } from '../issuables/index.ts';
import { readingMergeRequest, updatingMergeRequest } from './access.ts';
import { MergeRequest } from './entities.ts';

/** Who wants to hear of a merge request, and how long it takes. */

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

export const subscribeToMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/subscribe`,
  summary: 'Be told of a merge request',
  access: updatingMergeRequest(),
  errors: { already: NOT_MODIFIED },
  response: created(MergeRequest),
  write: (uow, { mergeRequest }) => subscribeTo(uow, MERGE_REQUESTS, mergeRequest, true),
});

export const unsubscribeFromMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/unsubscribe`,
  summary: 'Be told of a merge request no longer',
  access: updatingMergeRequest(),
  errors: { already: NOT_MODIFIED },
  response: created(MergeRequest),
  write: (uow, { mergeRequest }) => subscribeTo(uow, MERGE_REQUESTS, mergeRequest, false),
});

export const {
  estimate: estimateMergeRequest,
  resetEstimate: resetMergeRequestEstimate,
  spend: addMergeRequestTime,
  resetSpent: resetMergeRequestTime,
  read: readMergeRequestTimeStats,
} = timeTracking({
  path: MERGE_REQUEST,
  aThing: 'a merge request',
  changing: () =>
    updatingMergeRequest().map(({ mergeRequest, caller }) => ({
      thing: { type: 'MergeRequest', id: mergeRequest.id },
      caller,
    })),
  reading: () => readingMergeRequest().map(({ mergeRequest, caller }) => ({ thing: mergeRequest, caller })),
});
