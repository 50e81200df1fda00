import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { IssuableIdQuery } from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findListedMergeRequests, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { MergeRequestListRow } from '../entities.ts';

/** Merge requests related to an issue, newest first (contract/planning.md §3.6). */

interface IssueRef {
  readonly id: number;
  readonly iid: number;
}

/**
 * Returns a page of the merge requests, in any state, whose merge closes the issue. Empty if the project does not close issues
 * automatically. index: merge_request_closing_iids_by_issue, merge_requests primary key
 */
export function listMergeRequestsClosing(
  db: Reader,
  caller: Caller,
  project: Project,
  { iid }: IssueRef,
  page: OffsetRequest,
): Promise<Page<MergeRequestListRow>> {
  const closesIssues =
    mayReadMergeRequests(caller, project) && parseStoredAttributes(project).autoclose_referenced_issues;
  const query = db
    .selectFrom('merge_request_closing_iids as closing')
    .innerJoin('merge_requests', 'merge_requests.id', 'closing.merge_request_id')
    .select('merge_requests.id')
    .where('closing.project_id', '=', project.id)
    .where('closing.issue_iid', '=', iid)
    .where('merge_requests.target_branch', '=', project.default_branch)
    .where((eb) => eb.lit(closesIssues));
  return loadMergeRequestPage(db, caller, project, query as unknown as MergeRequestIdQuery, page);
}

/** Returns a page of the merge requests of any project that mention the issue. index: notes_by_issue_created, merge_requests primary key */
export function listMergeRequestsMentioning(
  db: Reader,
  caller: Caller,
  project: Project,
  { id }: IssueRef,
  page: OffsetRequest,
): Promise<Page<MergeRequestListRow>> {
  const query = db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select('merge_requests.id')
    .where('merge_requests.id', 'in', (eb) =>
      eb
        .selectFrom('notes')
        .select('notes.mentioning_merge_request_id')
        .where('notes.issue_id', '=', id)
        .where('notes.mentioning_merge_request_id', 'is not', null),
    )
    .where(mergeRequestVisibleTo(caller, db.today));
  return loadMergeRequestPage(db, caller, project, query as unknown as MergeRequestIdQuery, page);
}

export type MergeRequestIdQuery = IssuableIdQuery<'merge_requests'>;

/** Returns a page of the merge requests of the query, newest first, with references relative to the project. */
export async function loadMergeRequestPage(
  db: Reader,
  caller: Caller,
  { id }: Project,
  query: MergeRequestIdQuery,
  page: OffsetRequest,
): Promise<Page<MergeRequestListRow>> {
  const idPage = await paginate(db, query.orderBy('merge_requests.id', 'desc'), page);
  const rows = await findListedMergeRequests(
    db,
    caller,
    idPage.items.map((row) => row.id),
  );
  return {
    ...idPage,
    items: rows.map((row) => ({ ...row, referenceContext: row.project_id === id ? 'project' : null })),
  };
}
