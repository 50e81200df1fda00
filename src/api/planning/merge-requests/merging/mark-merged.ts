import type { Merge } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { takeAutoMerges } from '../auto-merge/store.ts';
import { closeIssuesSoon } from '../closing-issues/close-issues.ts';
import { keepHeadsSoon } from '../heads/head-refs.ts';

/** A merge that has happened, whoever tells of it. */
export interface Merged extends Merge {
  /** In whose name; null: he is gone. */
  readonly userId: number | null;
  /** Only while this is its head and `ref` is where it leads: what has gone on since, or elsewhere, is not merged. */
  readonly ifHead?: string;
}

/**
 * It is merged, once: what has happened to its target branch can't be taken back, so that one that was closed on the way is
 * merged too. index: merge_requests primary key
 */
export async function markMerged(uow: UnitOfWork, merged: Merged): Promise<void> {
  const { mergeRequestId: id, userId } = merged;
  const target = merged.ref.slice(HEADS.length);
  const found = await uow
    .updateTable('merge_requests')
    .set({
      state: 'merged',
      // Wherever it has been led meanwhile.
      target_branch: target,
      merged_at: uow.now,
      merged_by_id: userId,
      merged_sha: merged.newId,
      head_sha: merged.head,
      merge_commit_sha: merged.mergeCommit,
      squash_commit_sha: merged.squashCommit,
      should_remove_source_branch: merged.shouldRemoveSourceBranch,
      merge_error: null,
      merge_status: 'can_be_merged',
      closed_at: null,
      closed_by_id: null,
      updated_at: uow.now,
    })
    .where('id', '=', id)
    .where('state', 'in', merged.ifHead === undefined ? ['opened', 'closed'] : ['opened'])
    .$if(merged.ifHead !== undefined, (query) =>
      query.where('head_sha', '=', merged.ifHead as string).where('target_branch', '=', target),
    )
    .returning(['project_id', 'iid'])
    .executeTakeFirst();
  if (found === undefined) return;
  await takeAutoMerges(uow, [id]);
  if (merged.head !== undefined) await forgetWhatCameLater(uow, { id, ...found, head: merged.head });
  await keepSpan(uow, merged);
  await closeIssuesSoon(uow, id);
  await uow.record({ stateOf: { type: 'MergeRequest', id }, state: 'merged' });
  if (userId === null) return;
  const about = { type: 'MergeRequest', id, iid: found.iid } as const;
  await uow.record({ projectId: found.project_id, authorId: userId, action: 'merged', target: about });
}

/** What was pushed while it was on its way is no version of it. index: merge_request_versions_by_merge_request */
async function forgetWhatCameLater(
  uow: UnitOfWork,
  { id, project_id, iid, head }: { id: number; project_id: number; iid: number; head: string },
): Promise<void> {
  const { numDeletedRows } = await uow
    .deleteFrom('merge_request_versions')
    .where('merge_request_id', '=', id)
    .where('id', '>', (eb) =>
      eb
        .selectFrom('merge_request_versions as merged')
        .select(({ fn }) => fn.max('merged.id').as('id'))
        .where('merged.merge_request_id', '=', id)
        .where('merged.head_commit_sha', '=', head),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n) await keepHeadsSoon(uow, project_id, [iid]);
}

/**
 * What it was compared with when it was merged, if nobody has looked before: afterwards the target branch has it all.
 * index: merge_request_versions_by_merge_request
 */
async function keepSpan(uow: UnitOfWork, { mergeRequestId, base, start }: Merged): Promise<void> {
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
