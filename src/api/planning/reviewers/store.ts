import type { Reader } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { ReviewState } from '#database/tables/merge-requests.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export interface ReviewerRow {
  readonly user_id: number;
  readonly state: ReviewState;
  readonly created_at: string;
}

interface Reviewed {
  readonly id: number;
  readonly created_at: string;
}

/** One page of them, who was named first first. index: merge_request_reviewers_by_merge_request */
export async function listReviewers(
  db: Reader,
  { id, created_at }: Reviewed,
  page: OffsetRequest,
): Promise<Page<ReviewerRow>> {
  const asked = db
    .selectFrom('merge_request_reviewers')
    .select(['user_id', 'state', 'created_at'])
    .where('merge_request_id', '=', id);
  const found = await paged(db, asked.orderBy('merge_request_reviewers.id', 'asc'), page);
  return { ...found, items: found.items.map((row) => ({ ...row, created_at: row.created_at ?? created_at })) };
}
