import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import type { Merge } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findSharedMergeBase, listCommitsBetween, MAX_COMMITS_BETWEEN } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defineJob } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { deleteAutoMerges } from '../auto-merge/store.ts';
import { enqueueCloseIssues } from '../closing-issues/close-issues.ts';
import { enqueueHeadRefSync } from '../heads/head-refs.ts';

/** A completed merge. */
interface CompletedMerge extends Merge {
  /** The merger; null if the user was deleted. */
  readonly userId: number | null;
  /** If set, the merge request is marked only if it has this head and the target branch `ref`. */
  readonly requiredHead?: string;
}

/**
 * Marks a merge request as merged, once. The target branch has already moved, so a merge request that was closed meanwhile is marked
 * too. index: merge_requests primary key
 */
export async function markMerged(uow: UnitOfWork, merge: CompletedMerge): Promise<void> {
  const { mergeRequestId: id, userId } = merge;
  const targetBranch = merge.ref.slice(HEADS.length);
  const updatedRow = await uow
    .updateTable('merge_requests')
    .set({
      state: 'merged',
      // The target may have been changed meanwhile.
      target_branch: targetBranch,
      merged_at: uow.now,
      merged_by_id: userId,
      merged_sha: merge.newId,
      head_sha: merge.head,
      merge_commit_sha: merge.mergeCommit,
      squash_commit_sha: merge.squashCommit,
      should_remove_source_branch: merge.shouldRemoveSourceBranch,
      squash: merge.squash,
      merge_error: null,
      merge_status: 'can_be_merged',
      closed_at: null,
      closed_by_id: null,
      updated_at: uow.now,
    })
    .where('id', '=', id)
    .where('state', 'in', merge.requiredHead === undefined ? ['opened', 'closed'] : ['opened'])
    .$if(merge.requiredHead !== undefined, (query) =>
      query.where('head_sha', '=', merge.requiredHead as string).where('target_branch', '=', targetBranch),
    )
    .returning(['project_id', 'iid'])
    .executeTakeFirst();
  if (updatedRow === undefined) return;
  await deleteAutoMerges(uow, [id]);
  if (merge.head !== undefined) await deleteLaterVersions(uow, { id, ...updatedRow, head: merge.head });
  await storeComparison(uow, merge);
  await enqueueCloseIssues(uow, id);
  await uow.record({ stateOf: { type: 'MergeRequest', id }, state: 'merged' });
  if (userId === null) return;
  const target = { type: 'MergeRequest', id, iid: updatedRow.iid } as const;
  await uow.record({ projectId: updatedRow.project_id, authorId: userId, action: 'merged', target });
}

/** Deletes versions pushed during the merge. index: merge_request_versions_by_merge_request */
async function deleteLaterVersions(
  uow: UnitOfWork,
  { id, project_id, iid, head }: { id: number; project_id: number; iid: number; head: string },
): Promise<void> {
  const { numDeletedRows } = await uow
    .deleteFrom('merge_request_versions')
    .where('merge_request_id', '=', id)
    .where('id', '>', (eb) =>
      eb
        .selectFrom('merge_request_versions as merged_version')
        .select(({ fn }) => fn.max('merged_version.id').as('id'))
        .where('merged_version.merge_request_id', '=', id)
        .where('merged_version.head_commit_sha', '=', head),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n) await enqueueHeadRefSync(uow, project_id, [iid]);
}

/**
 * Stores the comparison of the latest version if it has none, because it can no longer be computed after the merge.
 * index: merge_request_versions_by_merge_request
 */
async function storeComparison(uow: UnitOfWork, { mergeRequestId, base, start }: CompletedMerge): Promise<void> {
  await uow
    .updateTable('merge_request_versions')
    .set({ base_commit_sha: base, start_commit_sha: start })
    .where('start_commit_sha', 'is', null)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('merge_request_versions')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('merge_request_id', '=', mergeRequestId),
    )
    .execute();
}

interface PushedBranches {
  readonly projectId: number;
  readonly userId: number | null;
  /** Branches that existed before and after the push. */
  readonly changes: readonly RefChange[];
}

/** Marks merge requests as merged whose heads were pushed to their target branch. */
export const markMergedByPush = defineJob({
  kind: 'mark_merged_by_push',
  async handle({ database, git, runUnitOfWork }: RefServices, { projectId, userId, changes }: PushedBranches) {
    const db = database.reader;
    const project = await findRepository(db, projectId);
    if (project === undefined) return;
    const caller = await loadActor(db, userId);
    for (const change of changes) {
      for await (const merge of findMerges(db, git, project, change)) {
        await runUnitOfWork(caller, (uow) =>
          markMerged(uow, { ...merge, userId: caller.user?.id ?? null, requiredHead: merge.head }),
        );
      }
    }
  },
});

type PushedRepository = LocatedRepository & { readonly project_id: number };

/** index: repositories primary key */
function findRepository(db: Reader, projectId: number): Promise<PushedRepository | undefined> {
  return db
    .selectFrom('repositories')
    .select(['project_id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

interface PushedMerge extends Merge {
  readonly head: string;
}

/** Yields the merges that a push contains. Scans at most `MAX_COMMITS_BETWEEN` commits, the newest ones. */
async function* findMerges(
  db: Reader,
  git: Git,
  project: PushedRepository,
  { ref, oldId, newId }: RefChange,
): AsyncGenerator<PushedMerge> {
  const repository = getRepository(git, project);
  const commitIds = (await listCommitsBetween(git, repository, oldId, newId)).slice(-MAX_COMMITS_BETWEEN);
  const openMergeRequests = await listOpenWithHead(db, project.project_id, ref.slice(HEADS.length), commitIds);
  if (openMergeRequests.length === 0) return;
  const mergeCommits = await findMergeCommits(git, project, commitIds);
  for (const { id, head_sha: head } of openMergeRequests) {
    const base = await findSharedMergeBase(git, repository, oldId, head);
    if (base === null) continue;
    yield {
      mergeRequestId: id,
      head,
      ref,
      newId,
      mergeCommit: mergeCommits.get(head) ?? head,
      squashCommit: null,
      base,
      start: oldId,
      shouldRemoveSourceBranch: null,
    };
  }
}

/** Lists the open merge requests into this branch with one of these heads. index: merge_requests_open_by_target */
function listOpenWithHead(db: Reader, projectId: number, target: string, heads: readonly string[]) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('target_branch', '=', target)
    .where('state', '=', sql.lit('opened' as const))
    .where(isInTexts(db, sql<string>`head_sha`, heads))
    .execute();
}

/** Returns the merge commits by merged head. Fast-forwarded heads have none. */
async function findMergeCommits(
  git: Git,
  project: PushedRepository,
  commitIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const commits = await readCommits(git, getRepository(git, project), commitIds);
  return new Map(
    commits.flatMap((commit) => (commit?.parentIds ?? []).slice(1).map((head): [string, string] => [head, commit!.id])),
  );
}
