import type { Merge } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { deleteAutoMerges } from '../auto-merge/store.ts';
import { enqueueCloseIssues } from '../closing-issues/close-issues.ts';
import { enqueueHeadRefUpdate } from '../heads/head-refs.ts';

/** A completed merge. */
export interface CompletedMerge extends Merge {
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
  if (numDeletedRows > 0n) await enqueueHeadRefUpdate(uow, project_id, [iid]);
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
