import { sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import type { Page } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { descendantsAmong } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { branchTip } from '#git/refs/revision.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { MergeRequestListed } from '../entities.ts';
import { type Found, listed } from './issue-merge-requests.ts';

/** Which merge requests have brought a commit, or would (contract/planning.md §3.16). */

/** So many merge requests are looked at with one question to git. */
const AT_ONCE = 1_000;

interface OfCommit {
  readonly sha: string;
  /** Of all states where it is none of them. */
  readonly state: string | null | undefined;
}

/** One page of those into this project, the newest first. */
export async function mergeRequestsOfCommit(
  db: Reader,
  git: Git,
  caller: Caller,
  project: Project,
  { sha, state }: OfCommit,
  page: OffsetRequest,
): Promise<Page<MergeRequestListed>> {
  const ids: number[] = [];
  for (let before: number | null = null; ; ) {
    const piece = await pieceOf(db, project, before);
    ids.push(...(await withCommit(db, git, project, piece, sha)));
    if (piece.length < AT_ONCE) break;
    before = piece.at(-1)!.iid;
  }
  const query = db
    .selectFrom('merge_requests')
    .select('merge_requests.id')
    .where(isAmong(db, sql.ref<number>('merge_requests.id'), ids))
    .$if(isState(state), (found) => found.where('merge_requests.state', '=', state as 'opened'));
  return listed(db, caller, project, query as unknown as Found, page);
}

const isState = (state: string | null | undefined) =>
  state != null && ['opened', 'closed', 'merged', 'locked'].includes(state);

/** index: merge_requests_by_iid */
function pieceOf(db: Reader, { id }: Project, before: number | null) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'target_branch', 'merge_commit_sha', 'squash_commit_sha', 'merged_sha'])
    .where('project_id', '=', id)
    .$if(before !== null, (query) => query.where('iid', '<', before as number))
    .orderBy('iid', 'desc')
    .limit(AT_ONCE)
    .execute();
}

type Piece = Awaited<ReturnType<typeof pieceOf>>;

/** index: merge_request_versions_by_merge_request */
function versionsOf(db: Reader, piece: Piece) {
  const ids = piece.map(({ id }) => id);
  return db
    .selectFrom('merge_request_versions')
    .select(['merge_request_id', 'head_commit_sha as head', 'start_commit_sha as start'])
    .where(isAmong(db, sql.ref<number>('merge_request_id'), ids))
    .execute();
}

/** Those that have it in one of their versions, or were merged by it or as it. */
async function withCommit(db: Reader, git: Git, project: Project, piece: Piece, sha: string): Promise<Set<number>> {
  const merged = piece.filter((one) => [one.merge_commit_sha, one.squash_commit_sha, one.merged_sha].includes(sha));
  const found = new Set(merged.map(({ id }) => id));
  const repository = repositoryOf(git, project);
  const targets = new Map(piece.map(({ id, target_branch }) => [id, target_branch]));
  const versions = [];
  for (const { merge_request_id: id, head, start } of await versionsOf(db, piece)) {
    // Of one that nobody has looked into yet the target branch is as it is now.
    versions.push({ id, head, start: start ?? (await branchTip(repository, targets.get(id)!)) });
  }
  const ends = versions.flatMap(({ head, start }) => (start === null ? [] : [head, start]));
  const holding = await descendantsAmong(git, repository, sha, ends);
  for (const { id, head, start } of versions) {
    if (start !== null && holding.has(head) && !holding.has(start)) found.add(id);
  }
  return found;
}
