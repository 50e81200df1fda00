import { sql } from 'kysely';
import { UserBasic } from '#api/identity/users/index.ts';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import {
  findMentionedIssueIds,
  listParticipants,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
} from '#api/planning/issuables/index.ts';
import { IssueInList, type IssueListRow, readIssueAccess } from '#api/planning/issues/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssuesForList, issueInProjectVisibleTo } from '#authorization/issues.ts';
import { type MergeRequest, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { type ListPage, type OffsetRequest, paginateInMemory } from '#http/lists/pagination.ts';
import { readMergeRequestAccess } from '../access.ts';
import { MergeRequestInList, type MergeRequestListRow } from '../entities.ts';
import { listComparisonCommits, loadCurrentComparison } from '../versions.ts';
import { loadMergeRequestPage, type MergeRequestQuery } from './list.ts';

export const listMergeRequestParticipants = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/participants',
  summary: 'List the participants of a merge request',
  description:
    'Returns the author, assignees, reviewers and commenters. Authors of internal notes are included only for callers who may read these notes.',
  access: readMergeRequestAccess(),
  response: page(UserBasic),
  read(db, { mergeRequest, project, caller, page }) {
    const includeInternal = mayInProject(caller, 'read_internal_note', project);
    return listParticipants(db, [MERGE_REQUESTS, MERGE_REQUESTS_BY_REVIEWER], mergeRequest, { includeInternal }, page);
  },
});

export const listMergeRequestsClosingIssue = endpoint({
  get: '/projects/:id/issues/:issue_iid/closed_by',
  summary: 'List the merge requests that close an issue',
  description:
    'Returns the merge requests of the project in all states whose description closes the issue when they are merged, newest first. The list is empty if the project does not close issues automatically.',
  access: readIssueAccess(),
  response: page(MergeRequestInList),
  read: (db, { issue, project, caller, page }) => listMergeRequestsClosing(db, caller, project, issue, page),
});

export const listRelatedMergeRequests = endpoint({
  get: '/projects/:id/issues/:issue_iid/related_merge_requests',
  summary: 'List the merge requests that mention an issue',
  description:
    'Returns the merge requests of all projects that mention the issue and that the caller may read, newest first.',
  access: readIssueAccess(),
  response: page(MergeRequestInList),
  read: (db, { issue, project, caller, page }) => listMergeRequestsMentioning(db, caller, project, issue, page),
});

export const listIssuesClosedByMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
  summary: 'List the issues that a merge request closes',
  description:
    'Returns the issues in all states that the merge will close and that the caller may read. The list is empty unless the target is the default branch and the project closes issues automatically.',
  access: readMergeRequestAccess(),
  response: page(IssueInList),
  read: (db, { mergeRequest, project, caller, page }) => listIssuesClosedBy(db, caller, project, mergeRequest, page),
});

export const listIssuesRelatedToMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/related_issues',
  summary: 'List the issues that a merge request mentions',
  description:
    'Returns the issues that its title, description, newest 100 comments or newest 100 commits mention and that the caller may read. Commits count only for callers who may read code.',
  access: readMergeRequestAccess(),
  response: page(IssueInList),
  read: (db, { mergeRequest, project, caller, page }, git) =>
    listRelatedIssues(db, git, caller, project, mergeRequest, page),
});

/**
 * Returns a page of the issues, in any state, that merging closes and the caller may read. Empty unless the target is the default
 * branch and the project closes issues automatically. index: merge_request_closing_iids_pkey, issues_by_iid
 */
async function listIssuesClosedBy(
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

interface IssueRef {
  readonly id: number;
  readonly iid: number;
}

/**
 * Returns a page of the merge requests, in any state, whose merge closes the issue, newest first (contract/planning.md §3.6). Empty if
 * the project does not close issues automatically. index: merge_request_closing_iids_by_issue, merge_requests primary key
 */
function listMergeRequestsClosing(
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
  return loadMergeRequestPage(db, caller, project, query as unknown as MergeRequestQuery, page);
}

/** Returns a page of the merge requests of any project that mention the issue. index: notes_by_issue_created, merge_requests primary key */
function listMergeRequestsMentioning(
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
  return loadMergeRequestPage(db, caller, project, query as unknown as MergeRequestQuery, page);
}

/** Limits of the texts that are searched for mentions of issues: the newest comments and commits, and the start of each comment. */
const MAX_NOTES = 100;
const MAX_NOTE_CHARACTERS = 16_384;
const MAX_COMMITS = 100;

/** Returns a page of the issues that title, description, comments or commits mention and the caller may read, oldest first. */
async function listRelatedIssues(
  db: Reader,
  git: Git,
  caller: Caller,
  project: Project,
  mergeRequest: MergeRequest,
  page: OffsetRequest,
): Promise<ListPage<IssueListRow>> {
  const mayReadCode = mayInProject(caller, 'read_code', project);
  const texts = [
    mergeRequest.title,
    mergeRequest.description ?? '',
    ...(await loadNoteTexts(db, caller, project, mergeRequest)),
    ...(mayReadCode ? await loadCommitMessages(db, git, project, mergeRequest) : []),
  ];
  const ids = (await findMentionedIssueIds(db, caller, { project }, texts)).sort((first, second) => first - second);
  const { items, ...rest } = paginateInMemory(ids, page);
  const rows = await findIssuesForList(db, caller, items);
  return {
    ...rest,
    items: rows.map((row) => ({ ...row, referenceContext: row.project_id === project.id ? 'project' : null })),
  };
}

/** Returns the starts of the newest comments; internal ones only if the caller may read them. index: notes_by_merge_request_created */
async function loadNoteTexts(
  db: Reader,
  caller: Caller,
  project: Project,
  { id }: MergeRequest,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('notes')
    .select(sql<string>`substr(body, 1, ${MAX_NOTE_CHARACTERS})`.as('text'))
    .where('merge_request_id', '=', id)
    .$if(!mayInProject(caller, 'read_internal_note', project), (query) => query.where('internal', '=', false))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_NOTES)
    .execute();
  return rows.map(({ text }) => text);
}

async function loadCommitMessages(
  db: Reader,
  git: Git,
  project: Project,
  mergeRequest: MergeRequest,
): Promise<readonly string[]> {
  const comparison = await loadCurrentComparison(db, git, project, mergeRequest);
  const page = { kind: 'offset', page: 1, perPage: MAX_COMMITS } as const;
  const { items } = await listComparisonCommits(git, project, comparison, page);
  return items.map(({ commit }) => commit.message);
}
