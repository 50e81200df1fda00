import type { SignedInCaller } from '#authentication/caller.ts';
import { stillInGroup } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { inPieces, PIECE, pieceOf } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { MANAGING_ITERATIONS } from './access.ts';
import { giveIteration } from './assign-iteration.ts';
import { type CadenceRow, deleteCadenceRow } from './store.ts';

/** Deletes a cadence with its iterations, in several acts if very many issues have one of them: they lose it first. */
export function deleteCadence(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, group_id }: CadenceRow,
): Promise<undefined | Failure<'notFound'>> {
  return inPieces(runUnitOfWork, caller, {
    ask: (uow) => stillInGroup(uow, caller, group_id, MANAGING_ITERATIONS),
    async piece(uow) {
      const more = await pieceOf(
        () => takeAnyOff(uow, id),
        () => deleteSomeIterations(uow, id),
      );
      if (more) return more;
      return (await deleteCadenceRow(uow, id)) ? undefined : fail('notFound');
    },
  });
}

/** Takes its iterations from some issues; says how many. index: iterations_by_cadence */
function takeAnyOff(tx: Transaction, cadenceId: number): Promise<number> {
  const iterations = tx.selectFrom('iterations').select('iterations.id').where('cadence_id', '=', cadenceId);
  return giveIteration(tx, null, (issues) => issues.where('iteration_id', 'in', iterations));
}

/** How many they were. index: iterations_by_cadence */
async function deleteSomeIterations(tx: Transaction, cadenceId: number): Promise<number> {
  const some = tx.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId).limit(PIECE);
  const { numDeletedRows } = await tx.deleteFrom('iterations').where('id', 'in', some).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
