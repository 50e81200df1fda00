import { deleteTargetActivity } from '#activity/index.ts';
import { BATCH_SIZE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type ParentContext, requireParentAccess } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { MANAGE_MILESTONES } from './access.ts';
import { recordMilestoneEvent } from './activity.ts';
import { clearMilestoneBatch, clearMilestoneEventBatch, deleteMilestoneRow, type MilestoneRow } from './store.ts';

/**
 * Deletes a milestone. In batches, one transaction each, it is first cleared from issues, merge requests and milestone events.
 * Of its activity events only the one for its deletion remains.
 */
export function deleteMilestone(
  runUnitOfWork: RunUnitOfWork,
  parentContext: ParentContext,
  milestone: MilestoneRow,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, parentContext.caller, {
    recheck: (uow) => requireParentAccess(uow, parentContext, MANAGE_MILESTONES),
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        () => clearMilestoneBatch(uow, 'issues', milestone.id, BATCH_SIZE),
        () => clearMilestoneBatch(uow, 'merge_requests', milestone.id, BATCH_SIZE),
        () => clearMilestoneEventBatch(uow, milestone.id, BATCH_SIZE),
      );
      if (remainingWork) return remainingWork;
      if (!(await deleteMilestoneRow(uow, milestone.id))) return fail('notFound');
      await deleteTargetActivity(uow, 'Milestone', [milestone.id]);
      await recordMilestoneEvent(uow, milestone, 'destroyed');
    },
  });
}
