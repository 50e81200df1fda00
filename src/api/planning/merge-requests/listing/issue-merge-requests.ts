import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { ThingIds } from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findListedMergeRequests, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { MergeRequestListed } from '../entities.ts';

/** Which merge requests are about an issue, the newest first (contract/planning.md §3.6). */

interface OfIssue {
  readonly id: number;
  readonly iid: number;
}

/**
 * Those of its project, in any state, whose merge closes it: into the default branch, where the project wants that. index:
 * merge_request_closing_iids_by_issue, merge_requests primary key
 */
export function closingIssue(
  db: Reader,
  caller: Caller,
  project: Project,
  { iid }: OfIssue,
  page: OffsetRequest,
): Promise<Page<MergeRequestListed>> {
  const closes = mayReadMergeRequests(caller, project) && storedAttributes(project).autoclose_referenced_issues;
  const query = db
    .selectFrom('merge_request_closing_iids as closing')
    .innerJoin('merge_requests', 'merge_requests.id', 'closing.merge_request_id')
    .select('merge_requests.id')
    .where('closing.project_id', '=', project.id)
    .where('closing.issue_iid', '=', iid)
    .where('merge_requests.target_branch', '=', project.default_branch)
    .where((eb) => eb.lit(closes));
  return listed(db, caller, project, query as unknown as Found, page);
}

/** Those that mention it, wherever they are. index: notes_by_issue_created, merge_requests primary key */
export function mentioningIssue(
  db: Reader,
  caller: Caller,
  project: Project,
  { id }: OfIssue,
  page: OffsetRequest,
): Promise<Page<MergeRequestListed>> {
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
  return listed(db, caller, project, query as unknown as Found, page);
}

export type Found = ThingIds<'merge_requests'>;

/** One page of what was found, the newest first, in a list of this project. */
export async function listed(
  db: Reader,
  caller: Caller,
  { id }: Project,
  query: Found,
  page: OffsetRequest,
): Promise<Page<MergeRequestListed>> {
  const ids = await paged(db, query.orderBy('merge_requests.id', 'desc'), page);
  const rows = await findListedMergeRequests(
    db,
    caller,
    ids.items.map((row) => row.id),
  );
  return { ...ids, items: rows.map((row) => ({ ...row, seenFrom: row.project_id === id ? 'project' : null })) };
}
