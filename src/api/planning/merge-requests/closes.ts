import { sql } from 'kysely';
import type { MergeRequest } from '../../../access/merge-requests.ts';
import type { Transaction } from '../../../database/database.ts';
import { isAmong } from '../../../database/dialect.ts';
import { closedBy } from './closing.ts';

/** Keeps which issues of its project the description closes. index: issues_by_iid, merge_request_closes_issues_pkey */
export async function keepClosed(
  tx: Transaction,
  { id, project_id, description }: Pick<MergeRequest, 'id' | 'project_id' | 'description'>,
): Promise<void> {
  await tx.deleteFrom('merge_request_closes_issues').where('merge_request_id', '=', id).execute();
  const iids = closedBy(description ?? '');
  if (iids.length === 0) return;
  await tx
    .insertInto('merge_request_closes_issues')
    .columns(['merge_request_id', 'issue_id'])
    .expression((eb) =>
      eb
        .selectFrom('issues')
        .select([sql.lit(id).as('merge_request_id'), 'issues.id'])
        .where('issues.project_id', '=', project_id)
        .where(isAmong(tx, sql<number>`issues.iid`, iids)),
    )
    .execute();
}
