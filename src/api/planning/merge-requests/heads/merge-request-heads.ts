import { sql } from 'kysely';
import { isInTexts } from '#database/dialect.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { enqueue } from '#jobs/job.ts';
import { enqueueMergeCheck } from '../merging/check-mergeability.ts';
import { markMerged } from '../merging/mark-merged.ts';
import { markMergedByPush } from '../merging/merge-by-push.ts';
import { updateHeads } from './update-heads.ts';

/**
 * Applies branch changes to merge requests in the unit of work that records them: marks a merge, moves the heads with their source
 * branches, and resets the merge checks of the affected merge requests.
 */
export const updateMergeRequestsOnPush = subscription({
  event: 'refs-changed',
  async inTransaction(uow, { projectId, userId, changes, merge }) {
    if (merge) await markMerged(uow, { ...merge, userId });
    const movedBranches = new Map(
      changes.filter(({ ref }) => ref.startsWith(HEADS)).map((change) => [branchName(change), change]),
    );
    if (movedBranches.size === 0) return;
    const names = [...movedBranches.keys()];
    const fromBranches = await listOpenFrom(uow, projectId, names);
    const targets = await listOpenTargets(uow, projectId, names);
    if (fromBranches.length + targets.length === 0) return;
    const heads = fromBranches.flatMap(({ source_branch, ...mergeRequest }) => {
      const head = movedBranches.get(source_branch)?.newId ?? ZERO_ID;
      // A deleted source branch leaves the head unchanged.
      return head === ZERO_ID ? [] : [{ ...mergeRequest, head }];
    });
    await updateHeads(uow, projectId, heads);
    await clearMergeChecks(uow, projectId, names);
    await enqueueMergeCheck(uow, projectId);
    const pushes = targets
      .flatMap((name) => movedBranches.get(name) ?? [])
      .filter(({ oldId, newId }) => oldId !== ZERO_ID && newId !== ZERO_ID);
    if (pushes.length > 0) await enqueue(uow, markMergedByPush, { projectId, userId, changes: pushes });
  },
});

type Change = EventPayloads['refs-changed']['changes'][number];

const branchName = ({ ref }: Change) => ref.slice(HEADS.length);

/** Lists the open merge requests from these branches. index: merge_requests_open_by_branches */
function listOpenFrom(uow: UnitOfWork, projectId: number, names: readonly string[]) {
  return uow
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'source_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isInTexts(uow, sql<string>`source_branch`, names))
    .execute();
}

/** Returns which of these branches are targets of open merge requests. index: merge_requests_open_by_target */
async function listOpenTargets(uow: UnitOfWork, projectId: number, names: readonly string[]): Promise<string[]> {
  const rows = await uow
    .selectFrom('merge_requests')
    .select('target_branch')
    .distinct()
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isInTexts(uow, sql<string>`target_branch`, names))
    .execute();
  return rows.map(({ target_branch }) => target_branch);
}

/** index: merge_requests_checked, merge_requests_open_by_branches */
async function clearMergeChecks(uow: UnitOfWork, projectId: number, names: readonly string[]): Promise<void> {
  for (const branchColumn of ['target_branch', 'source_branch'] as const) {
    await uow
      .updateTable('merge_requests')
      .set({ merge_status: 'unchecked', merge_check: null })
      .where('project_id', '=', projectId)
      .where('state', '=', sql.lit('opened' as const))
      .where('merge_status', '<>', sql.lit('unchecked' as const))
      .where(isInTexts(uow, sql.ref<string>(branchColumn), names))
      .execute();
  }
}
