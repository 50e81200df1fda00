import type { Acting } from '../../../facts/act.ts';
import { inPieces, MORE, PIECE } from '../../../facts/pieces.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { readCadence, schedule } from '../iteration-cadences/index.ts';
import { deleteIterationRow, findIteration, type IterationRow, isLast, stateOf, takeIterationOff } from './store.ts';

const CLOSED = 3;

/**
 * Deletes an iteration, in several acts if very many issues have it: they lose it first. Only one that is over leaves
 * those that follow it without a gap before them. A cadence that makes its iterations by itself makes up for it at once.
 */
export function deleteIteration(
  acting: Acting,
  caller: SignedIn,
  { id, group_id }: IterationRow,
): Promise<undefined | Refused<'missing' | 'inBetween'>> {
  return inPieces(acting, caller, async (act) => {
    const iteration = await findIteration(act, [group_id], id);
    if (iteration === null) return refused('missing');
    if (stateOf(iteration, act.today) !== CLOSED && !(await isLast(act, iteration))) return refused('inBetween');
    if ((await takeIterationOff(act, id, PIECE)) === PIECE) return MORE;
    await deleteIterationRow(act, id);
    const cadence = await readCadence(act, iteration.cadence_id);
    if (cadence?.automatic) await schedule(act, cadence);
  });
}
