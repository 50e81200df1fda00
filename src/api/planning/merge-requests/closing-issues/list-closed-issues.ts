import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { IssueListRow } from '#api/planning/issues/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findIssuesForList, issueInProjectVisibleTo } from '#authorization/issues.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/**
 * Returns a page of the issues, in any state, that merging closes and the caller may read. Empty unless the target is the default
 * branch and the project closes issues automatically. index: merge_request_closing_iids_pkey, issues_by_iid
 */
export async function listIssuesClosedBy(
  db: Reader,
  caller: Caller,
  project: Project,
  { id, target_branch }: Pick<MergeRequest, 'id' | 'target_branch'>,
  page: OffsetRequest,
): Promise<Page<IssueListRow>> {
  const closesIssues =
    target_branch === project.default_branch && parseStoredAttributes(project).autoclose_referenced_issues;
  const query = db
    .selectFrom('merge_request_closing_iids as closing')
    .innerJoin('issues', (join) =>
      join.onRef('issues.project_id', '=', 'closing.project_id').onRef('issues.iid', '=', 'closing.issue_iid'),
    )
    .select('issues.id')
    .where('closing.merge_request_id', '=', id)
    .where((eb) => eb.lit(closesIssues))
    .where(issueInProjectVisibleTo(caller, project) as never);
  const idPage = await paginate(db, query.orderBy('issues.iid', 'asc'), page);
  const rows = await findIssuesForList(
    db,
    caller,
    idPage.items.map((row) => row.id),
  );
  return { ...idPage, items: rows.map((row) => ({ ...row, referenceContext: 'project' })) };
}
