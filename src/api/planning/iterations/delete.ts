import type { SignedInCaller } from '#authentication/caller.ts';
import { stillInGroup } from '#authorization/current-access.ts';
import { inPieces, MORE, PIECE } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { giveIteration, MANAGING_ITERATIONS, readCadence, schedule } from '../iteration-cadences/index.ts';
import { deleteIterationRow, findIteration, type IterationRow, isLast, stateOf } from './store.ts';

const CLOSED = 3;

/**
 * Deletes an iteration, in several acts if very many issues have it: they lose it first. Only one that is over leaves
 * those that follow it without a gap before them: that is asked before any issue loses it. A cadence that makes its iterations by itself makes up for it at once.
 */
export function deleteIteration(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, group_id }: IterationRow,
): Promise<undefined | Failure<'notFound' | 'inBetween'>> {
  return inPieces(runUnitOfWork, caller, {
    async ask(uow, begun) {
      await stillInGroup(uow, caller, group_id, MANAGING_ITERATIONS);
      const iteration = await findIteration(uow, [group_id], id);
      if (iteration === null) return fail('notFound');
      const mayGo = begun || stateOf(iteration, uow.today) === CLOSED || (await isLast(uow, iteration));
      return mayGo ? iteration : fail('inBetween');
    },
    async piece(uow, { cadence_id }) {
      if ((await giveIteration(uow, null, (issues) => issues.where('iteration_id', '=', id))) === PIECE) return MORE;
      await deleteIterationRow(uow, id);
      const cadence = await readCadence(uow, cadence_id);
      if (cadence?.automatic) await schedule(uow, cadence);
    },
  });
}
