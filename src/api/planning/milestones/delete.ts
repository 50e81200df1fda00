import { forgetTargetActivity } from '#activity/index.ts';
import { inPieces, PIECE, pieceOf } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type InParent, stillIn } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { MANAGING } from './access.ts';
import { recordMilestone } from './activity.ts';
import { deleteMilestoneRow, loseMilestoneEvents, type MilestoneRow, takeMilestoneOff } from './store.ts';

/**
 * Deletes a milestone, in several acts if very many things have it: they lose it first, and so do the events that tell of it.
 * Of its own events only that of its end stays.
 */
export function deleteMilestone(
  runUnitOfWork: RunUnitOfWork,
  at: InParent,
  milestone: MilestoneRow,
): Promise<undefined | Failure<'notFound'>> {
  return inPieces(runUnitOfWork, at.caller, {
    ask: (uow) => stillIn(uow, at, MANAGING),
    async piece(uow) {
      const more = await pieceOf(
        () => takeMilestoneOff(uow, 'issues', milestone.id, PIECE),
        () => takeMilestoneOff(uow, 'merge_requests', milestone.id, PIECE),
        () => loseMilestoneEvents(uow, milestone.id, PIECE),
      );
      if (more) return more;
      if (!(await deleteMilestoneRow(uow, milestone.id))) return fail('notFound');
      await forgetTargetActivity(uow, 'Milestone', [milestone.id]);
      await recordMilestone(uow, milestone, 'destroyed');
    },
  });
}
