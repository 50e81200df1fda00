import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { IssueListed } from '#api/planning/issues/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findListedIssues, issueOfProjectVisibleTo } from '#authorization/issues.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/**
 * One page of the issues, in any state, that a merge closes so far as the caller may read them: into the default branch, where
 * the project wants that. index: merge_request_closing_iids_pkey, issues_by_iid
 */
export async function issuesClosedBy(
  db: Reader,
  caller: Caller,
  project: Project,
  { id, target_branch }: Pick<MergeRequest, 'id' | 'target_branch'>,
  page: OffsetRequest,
): Promise<Page<IssueListed>> {
  const closes = target_branch === project.default_branch && storedAttributes(project).autoclose_referenced_issues;
  const query = db
    .selectFrom('merge_request_closing_iids as closing')
    .innerJoin('issues', (join) =>
      join.onRef('issues.project_id', '=', 'closing.project_id').onRef('issues.iid', '=', 'closing.issue_iid'),
    )
    .select('issues.id')
    .where('closing.merge_request_id', '=', id)
    .where((eb) => eb.lit(closes))
    .where(issueOfProjectVisibleTo(caller, project) as never);
  const ids = await paged(db, query.orderBy('issues.iid', 'asc'), page);
  const rows = await findListedIssues(
    db,
    caller,
    ids.items.map((row) => row.id),
  );
  return { ...ids, items: rows.map((row) => ({ ...row, seenFrom: 'project' })) };
}
