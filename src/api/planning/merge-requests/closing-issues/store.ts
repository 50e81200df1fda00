import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Transaction } from '#database/database.ts';
import { parseClosingIids } from './closing-keywords.ts';

/** Stores the iids of the issues that the description closes. index: merge_request_closing_iids_pkey */
export async function updateClosingIids(
  tx: Transaction,
  { id, project_id, description }: Pick<MergeRequest, 'id' | 'project_id' | 'description'>,
): Promise<void> {
  await tx.deleteFrom('merge_request_closing_iids').where('merge_request_id', '=', id).execute();
  const iids = parseClosingIids(description ?? '');
  if (iids.length === 0) return;
  await tx
    .insertInto('merge_request_closing_iids')
    .values(iids.map((issue_iid) => ({ merge_request_id: id, project_id, issue_iid })))
    .execute();
}
