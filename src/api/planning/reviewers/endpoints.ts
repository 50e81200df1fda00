import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { readableMergeRequestAccess } from '../merge-requests/index.ts';
import { Reviewer } from './entities.ts';
import { listReviewers } from './store.ts';

// Reviewers of a merge request and their review states (contract/planning.md §3.8).

export const listMergeRequestReviewers = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/reviewers',
  summary: 'List the reviewers of a merge request',
  access: readableMergeRequestAccess(),
  response: page(Reviewer),
  read: (db, { mergeRequest, page }) => listReviewers(db, mergeRequest, page),
});
