import { sql } from 'kysely';
import { findMentionedIssueIds } from '#api/planning/issuables/index.ts';
import type { IssueListRow } from '#api/planning/issues/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssuesForList } from '#authorization/issues.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { paginateInMemory } from '#http/lists/in-memory-page.ts';
import type { ListPage } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { listComparisonCommits, loadCurrentComparison } from '../versions/versions.ts';

/** The texts that are searched: the newest comments and commits, and of each comment the first characters. */
const MAX_NOTES = 100;
const MAX_NOTE_CHARACTERS = 16_384;
const MAX_COMMITS = 100;

interface RelatedIssuesQuery {
  readonly caller: Caller;
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
  readonly page: OffsetRequest;
}

/** Returns a page of the issues that title, description, comments or commits mention and the caller may read, oldest first. */
export async function listRelatedIssues(
  db: Reader,
  git: Git,
  { caller, project, mergeRequest, page }: RelatedIssuesQuery,
): Promise<ListPage<IssueListRow>> {
  const readsCode = mayInProject(caller, 'read_code', project);
  const texts = [
    mergeRequest.title,
    mergeRequest.description ?? '',
    ...(await loadNoteTexts(db, caller, project, mergeRequest)),
    ...(readsCode ? await loadCommitMessages(db, git, project, mergeRequest) : []),
  ];
  const ids = (await findMentionedIssueIds(db, caller, { project }, texts)).sort((first, second) => first - second);
  const { items, ...rest } = paginateInMemory(ids, page);
  const rows = await findIssuesForList(db, caller, items);
  return {
    ...rest,
    items: rows.map((row) => ({ ...row, referenceContext: row.project_id === project.id ? 'project' : null })),
  };
}

/** index: notes_by_merge_request_created */
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
