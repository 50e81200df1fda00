import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { readingMergeRequest } from '../merge-requests/index.ts';
import { Reviewer } from './entities.ts';
import { listReviewers } from './store.ts';

// Who is asked to review a merge request, and what has become of it (contract/planning.md §3.8).

export const listMergeRequestReviewers = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/reviewers',
  summary: 'List who is asked to review a merge request, and what they have said',
  access: readingMergeRequest(),
  response: page(Reviewer),
  read: (db, { mergeRequest, page }) => listReviewers(db, mergeRequest, page),
});
