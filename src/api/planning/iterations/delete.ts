import type { SignedInCaller } from '#authentication/caller.ts';
import { requireGroupAccess } from '#authorization/current-access.ts';
import { BATCH_SIZE, MORE, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  assignIterationBatch,
  findCadenceById,
  MANAGE_ITERATIONS,
  scheduleCadence,
} from '../iteration-cadences/index.ts';
import { deleteIterationRow, findIteration, getIterationState, type IterationRow, isLastIteration } from './store.ts';

/** A result of `getIterationState`. */
const CLOSED = 3;

/**
 * Deletes an iteration after clearing it from issues in batches of one transaction each. A current or upcoming iteration must
 * be the last of its cadence; this is checked before the first batch. An automatic cadence creates a replacement at once.
 */
export function deleteIteration(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, group_id }: IterationRow,
): Promise<undefined | Failure<'notFound' | 'notLastOfCadence'>> {
  return runInBatches(runUnitOfWork, caller, {
    async recheck(uow, hasBegun) {
      await requireGroupAccess(uow, caller, group_id, MANAGE_ITERATIONS);
      const iteration = await findIteration(uow, [group_id], id);
      if (iteration === null) return fail('notFound');
      const mayDelete =
        hasBegun || getIterationState(iteration, uow.today) === CLOSED || (await isLastIteration(uow, iteration));
      return mayDelete ? iteration : fail('notLastOfCadence');
    },
    async runBatch(uow, { cadence_id }) {
      if ((await assignIterationBatch(uow, null, (issues) => issues.where('iteration_id', '=', id))) === BATCH_SIZE)
        return MORE;
      await deleteIterationRow(uow, id);
      const cadence = await findCadenceById(uow, cadence_id);
      if (cadence?.automatic) await scheduleCadence(uow, cadence);
    },
  });
}
