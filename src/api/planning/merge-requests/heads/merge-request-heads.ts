import { sql } from 'kysely';
import { isInTexts } from '#database/dialect.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { enqueue } from '#jobs/job.ts';
import { enqueueMergeCheck } from '../merging/check-mergeability.ts';
import { markMerged, markMergedByPush } from '../merging/mark-merged.ts';
import { updateHeads } from './update-heads.ts';

/**
 * Applies branch changes to merge requests in the unit of work that records them: marks a merge, moves the heads with their source
 * branches, and resets the merge checks of the affected merge requests.
 */
export const updateMergeRequestsOnPush = defineSubscription({
  event: 'refs-changed',
  async inTransaction(uow, { projectId, userId, changes, merge }) {
    if (merge) await markMerged(uow, { ...merge, userId });
    const changesByBranch = new Map(
      changes.filter(({ ref }) => ref.startsWith(HEADS)).map((change) => [toBranchName(change), change]),
    );
    if (changesByBranch.size === 0) return;
    const branchNames = [...changesByBranch.keys()];
    const mergeRequestsFromBranches = await listOpenFromBranches(uow, projectId, branchNames);
    const targetBranches = await listOpenTargets(uow, projectId, branchNames);
    if (mergeRequestsFromBranches.length + targetBranches.length === 0) return;
    const headUpdates = mergeRequestsFromBranches.flatMap(({ source_branch, ...mergeRequest }) => {
      const head = changesByBranch.get(source_branch)?.newId ?? ZERO_ID;
      // A deleted source branch leaves the head unchanged.
      return head === ZERO_ID ? [] : [{ ...mergeRequest, head }];
    });
    await updateHeads(uow, projectId, headUpdates);
    await clearMergeChecks(uow, projectId, branchNames);
    await enqueueMergeCheck(uow, projectId);
    const targetChanges = targetBranches
      .flatMap((name) => changesByBranch.get(name) ?? [])
      .filter(({ oldId, newId }) => oldId !== ZERO_ID && newId !== ZERO_ID);
    if (targetChanges.length > 0) await enqueue(uow, markMergedByPush, { projectId, userId, changes: targetChanges });
  },
});

type Change = EventPayloads['refs-changed']['changes'][number];

const toBranchName = ({ ref }: Change) => ref.slice(HEADS.length);

/** Lists the open merge requests with these source branches. index: merge_requests_open_by_branches */
function listOpenFromBranches(uow: UnitOfWork, projectId: number, branchNames: readonly string[]) {
  return uow
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'source_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isInTexts(uow, sql<string>`source_branch`, branchNames))
    .execute();
}

/** Returns which of these branches are targets of open merge requests. index: merge_requests_open_by_target */
async function listOpenTargets(uow: UnitOfWork, projectId: number, branchNames: readonly string[]): Promise<string[]> {
  const rows = await uow
    .selectFrom('merge_requests')
    .select('target_branch')
    .distinct()
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isInTexts(uow, sql<string>`target_branch`, branchNames))
    .execute();
  return rows.map(({ target_branch }) => target_branch);
}

/** Resets the merge checks of open merge requests from or into these branches. index: merge_requests_checked, merge_requests_open_by_branches */
async function clearMergeChecks(uow: UnitOfWork, projectId: number, branchNames: readonly string[]): Promise<void> {
  for (const branchColumn of ['target_branch', 'source_branch'] as const) {
    await uow
      .updateTable('merge_requests')
      .set({ merge_status: 'unchecked', merge_check: null })
      .where('project_id', '=', projectId)
      .where('state', '=', sql.lit('opened' as const))
      .where('merge_status', '<>', sql.lit('unchecked' as const))
      .where(isInTexts(uow, sql.ref<string>(branchColumn), branchNames))
      .execute();
  }
}
