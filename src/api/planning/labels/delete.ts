import type { Acting } from '../../../facts/act.ts';
import { inPieces, MORE, PIECE } from '../../../facts/pieces.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { deleteLabelRow, takeLabelOff } from './store.ts';

/** Deletes a label, in several acts if very many issues bear it: they lose it first. */
export function deleteLabel(
  acting: Acting,
  caller: SignedIn,
  labelId: number,
): Promise<undefined | Refused<'missing'>> {
  return inPieces(acting, caller, async (act) => {
    if ((await takeLabelOff(act, labelId, PIECE)) === PIECE) return MORE;
    return (await deleteLabelRow(act, labelId)) ? undefined : refused('missing');
  });
}
