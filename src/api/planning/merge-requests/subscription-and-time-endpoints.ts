import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { createTimeTrackingEndpoints, MERGE_REQUESTS, updateSubscription } from '../issuables/index.ts';
import { readableMergeRequestAccess, updatableMergeRequestAccess } from './access.ts';
import { MergeRequest } from './entities.ts';

/** Subscriptions and time tracking of merge requests. */

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

export const subscribeToMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/subscribe`,
  summary: 'Subscribe to a merge request',
  access: updatableMergeRequestAccess(),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(MergeRequest),
  write: (uow, { mergeRequest }) => updateSubscription(uow, MERGE_REQUESTS, mergeRequest, true),
});

export const unsubscribeFromMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/unsubscribe`,
  summary: 'Unsubscribe from a merge request',
  access: updatableMergeRequestAccess(),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(MergeRequest),
  write: (uow, { mergeRequest }) => updateSubscription(uow, MERGE_REQUESTS, mergeRequest, false),
});

export const {
  estimate: estimateMergeRequest,
  resetEstimate: resetMergeRequestEstimate,
  spend: addMergeRequestTime,
  resetSpent: resetMergeRequestTime,
  read: getMergeRequestTimeStats,
} = createTimeTrackingEndpoints({
  path: MERGE_REQUEST,
  nounWithArticle: 'a merge request',
  updateAccess: () =>
    updatableMergeRequestAccess().map(({ mergeRequest, caller }) => ({
      noteable: { type: 'MergeRequest', id: mergeRequest.id },
      caller,
    })),
  readAccess: () =>
    readableMergeRequestAccess().map(({ mergeRequest, caller }) => ({ noteable: mergeRequest, caller })),
});
