import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { ReviewState } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export interface ReviewerRow {
  readonly user_id: number;
  readonly state: ReviewState;
  readonly created_at: string;
}

interface ReviewedMergeRequest {
  readonly id: number;
  readonly created_at: string;
}

/** Returns a page of the reviewers, in the order of assignment. index: merge_request_reviewers_by_merge_request */
export async function listReviewers(
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
