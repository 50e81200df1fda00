import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import { mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';

/**
 * Counts, by issue id, the merge requests that close the issue and that the caller may read, as in the list `closed_by`.
 * index: issues primary key, merge_request_closing_iids_by_issue, merge_requests primary key
 */
export async function countClosingMergeRequests(
  db: Reader,
  caller: Caller,
  issues: readonly Pick<Issue, 'id' | 'closing'>[],
): Promise<ReadonlyMap<number, number>> {
  // Most issues have no closing merge request, so the query is often skipped.
  const ids = issues.filter(({ closing }) => closing === 1).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .innerJoin('merge_request_closing_iids as closing', (join) =>
      join.onRef('closing.project_id', '=', 'issues.project_id').onRef('closing.issue_iid', '=', 'issues.iid'),
    )
    .innerJoin('merge_requests', 'merge_requests.id', 'closing.merge_request_id')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select(['issues.id', 'projects.attributes', (eb) => eb.fn.countAll<number>().as('count')])
    .where('issues.id', 'in', ids)
    .whereRef('merge_requests.target_branch', '=', 'repositories.default_branch')
    .where(mergeRequestVisibleTo(caller, db.today))
    .groupBy(['issues.id', 'projects.attributes'])
    .execute();
  const countedRows = rows.filter((row) => parseStoredAttributes(row).autoclose_referenced_issues);
  return new Map(countedRows.map(({ id, count }) => [id, count]));
}
