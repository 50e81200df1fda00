import type { Transaction } from '../../../database/database.ts';
import type { Acting } from '../../../facts/act.ts';
import { inPieces, MORE, PIECE } from '../../../facts/pieces.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type CadenceRow, deleteCadenceRow } from './store.ts';

/** Deletes a cadence with its iterations, in several acts if very many issues have one of them: they lose it first. */
export function deleteCadence(
  acting: Acting,
  caller: SignedIn,
  { id }: CadenceRow,
): Promise<undefined | Refused<'missing'>> {
  return inPieces(acting, caller, async (act) => {
    if ((await takeAnyOff(act, id)) === PIECE) return MORE;
    if ((await deleteSomeIterations(act, id)) === PIECE) return MORE;
    if (!(await deleteCadenceRow(act, id))) return refused('missing');
  });
}

/** Takes its iterations from some issues; says how many. index: iterations_by_cadence, issues_by_iteration */
async function takeAnyOff(tx: Transaction, cadenceId: number): Promise<number> {
  const iterations = tx.selectFrom('iterations').select('iterations.id').where('cadence_id', '=', cadenceId);
  const having = tx.selectFrom('issues').select('issues.id').where('iteration_id', 'in', iterations).limit(PIECE);
  const { numUpdatedRows } = await tx
    .updateTable('issues')
    .set({ iteration_id: null })
    .where('id', 'in', having)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** How many they were. index: iterations_by_cadence */
async function deleteSomeIterations(tx: Transaction, cadenceId: number): Promise<number> {
  const some = tx.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId).limit(PIECE);
  const { numDeletedRows } = await tx.deleteFrom('iterations').where('id', 'in', some).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
