import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { REVIEW_STATES, type ReviewState } from '#database/schema.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, page } from '#http/endpoint/responses.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { requireRow } from '#runtime/failure.ts';
import { readMergeRequestAccess } from '../merge-requests/index.ts';

/** A reviewer of a merge request, with their review state. */
const Reviewer = entity('Reviewer', {
  user: UserBasic.schema,
  state: Type.Enum([...REVIEW_STATES]),
  created_at: dateTime,
}).from(
  (rows: readonly ReviewerRow[], { db }) =>
    loadUsersById(
      db,
      rows.map(({ user_id }) => user_id),
    ),
  ({ user_id, state, created_at }, context, usersById) => ({
    user: UserBasic.serialize(requireRow(usersById.get(user_id)), context),
    state,
    created_at,
  }),
);

// Reviewers of a merge request and their review states (contract/planning.md §3.8).

export const listMergeRequestReviewers = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/reviewers',
  summary: 'List the reviewers of a merge request',
  description:
    'Returns the reviewers in the order of their assignment. Approving a merge request and removing the approval change `state`.',
  access: readMergeRequestAccess(),
  response: page(Reviewer),
  read: (db, { mergeRequest, page }) => listReviewers(db, mergeRequest, page),
});

interface ReviewerRow {
  readonly user_id: number;
  readonly state: ReviewState;
  readonly created_at: string;
}

interface ReviewedMergeRequest {
  readonly id: number;
  readonly created_at: string;
}

/** Returns a page of the reviewers, in the order of assignment. index: merge_request_reviewers_by_merge_request */
async function listReviewers(
  db: Reader,
  { id, created_at }: ReviewedMergeRequest,
  page: OffsetRequest,
): Promise<Page<ReviewerRow>> {
  const reviewers = db
    .selectFrom('merge_request_reviewers')
    .select(['user_id', 'state', 'created_at'])
    .where('merge_request_id', '=', id);
  const result = await paginate(db, reviewers.orderBy('merge_request_reviewers.id', 'asc'), page);
  return { ...result, items: result.items.map((row) => ({ ...row, created_at: row.created_at ?? created_at })) };
}
