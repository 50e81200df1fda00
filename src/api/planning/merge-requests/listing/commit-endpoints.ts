import { sql } from 'kysely';
import { commitResource } from '#api/code/commits/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { Page } from '#database/page.ts';
import type { MergeRequestState } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { filterDescendants } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { inProjectAllowingAnonymous, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { getRepository } from '#repositories/repository.ts';
import { MergeRequestInList, type MergeRequestListRow } from '../entities.ts';
import { loadMergeRequestPage } from './list.ts';

export const listCommitMergeRequests = endpoint({
  get: '/projects/:id/repository/commits/:sha/merge_requests',
  summary: 'List the merge requests of a commit',
  description:
    'Returns the merge requests, newest first, that have the commit in one of their versions, or as their merge or squash commit.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled)
    .resource(commitResource)
    .require(({ caller }, { project }) => {
      if (!mayReadMergeRequests(caller, project)) throw forbidden();
    })
    .withLabel('project:read_code, read_merge_request (public)'),
  params: {
    state: describe(
      optional(string),
      '`opened`, `closed`, `merged` or `locked`; absent and any other value mean all states.',
    ),
  },
  response: page(MergeRequestInList),
  read: (db, { project, commit, caller, params, page }, git) =>
    listMergeRequestsOfCommit(db, git, caller, project, { sha: commit.id, state: params.state }, page),
});

/** Number of merge requests for each call to git. */
const BATCH_SIZE = 1_000;

interface CommitFilter {
  readonly sha: string;
  /** A state of merge requests; any other value means all states. */
  readonly state: string | null | undefined;
}

/** Returns a page of the project's merge requests that contain the commit, newest first (contract/planning.md §3.16). */
async function listMergeRequestsOfCommit(
  db: Reader,
  git: Git,
  caller: Caller,
  project: Project,
  { sha, state }: CommitFilter,
  page: OffsetRequest,
): Promise<Page<MergeRequestListRow>> {
  const ids: number[] = [];
  for (let beforeIid: number | null = null; ; ) {
    const batch = await loadBatch(db, project, beforeIid);
    ids.push(...(await findWithCommit(db, git, project, batch, sha)));
    if (batch.length < BATCH_SIZE) break;
    beforeIid = batch.at(-1)!.iid;
  }
  const query = db
    .selectFrom('merge_requests')
    .select('merge_requests.id')
    .where(isInIds(db, sql.ref<number>('merge_requests.id'), ids));
  const filteredQuery = isMergeRequestState(state) ? query.where('merge_requests.state', '=', state) : query;
  return loadMergeRequestPage(db, caller, project, filteredQuery, page);
}

const isMergeRequestState = (state: string | null | undefined): state is MergeRequestState =>
  state != null && ['opened', 'closed', 'merged', 'locked'].includes(state);

/** Loads the next merge requests of the project, newest first. index: merge_requests_by_iid */
function loadBatch(db: Reader, { id }: Project, beforeIid: number | null) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'target_branch', 'merge_commit_sha', 'squash_commit_sha', 'merged_sha'])
    .where('project_id', '=', id)
    .$if(beforeIid !== null, (query) => query.where('iid', '<', beforeIid as number))
    .orderBy('iid', 'desc')
    .limit(BATCH_SIZE)
    .execute();
}

type MergeRequestBatch = Awaited<ReturnType<typeof loadBatch>>;

/** index: merge_request_versions_by_merge_request */
function loadVersions(db: Reader, batch: MergeRequestBatch) {
  const ids = batch.map(({ id }) => id);
  return db
    .selectFrom('merge_request_versions')
    .select(['merge_request_id', 'head_commit_sha as head', 'start_commit_sha as start'])
    .where(isInIds(db, sql.ref<number>('merge_request_id'), ids))
    .execute();
}

/** Returns the ids of the merge requests with the commit in one of their versions, or as their merge or squash commit. */
async function findWithCommit(
  db: Reader,
  git: Git,
  project: Project,
  batch: MergeRequestBatch,
  sha: string,
): Promise<Set<number>> {
  const mergedInCommit = batch.filter(({ merge_commit_sha, squash_commit_sha, merged_sha }) =>
    [merge_commit_sha, squash_commit_sha, merged_sha].includes(sha),
  );
  const matchingIds = new Set(mergedInCommit.map(({ id }) => id));
  const repository = getRepository(git, project);
  const targetBranchesById = new Map(batch.map(({ id, target_branch }) => [id, target_branch]));
  const versions = [];
  for (const { merge_request_id: id, head, start } of await loadVersions(db, batch)) {
    // A version without a stored comparison is compared with the current target branch.
    versions.push({ id, head, start: start ?? (await findBranchHead(repository, targetBranchesById.get(id)!)) });
  }
  const versionCommits = versions.flatMap(({ head, start }) => (start === null ? [] : [head, start]));
  const descendants = await filterDescendants(git, repository, sha, versionCommits);
  for (const { id, head, start } of versions) {
    if (start !== null && descendants.has(head) && !descendants.has(start)) matchingIds.add(id);
  }
  return matchingIds;
}
