import type { Acting } from '../../../facts/act.ts';
import { inPieces, PIECE, pieceOf } from '../../../facts/pieces.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { BEARERS, deleteLabelRow, takeLabelOff } from './store.ts';

/** Deletes a label, in several acts if very many things bear it: they lose it first. */
export function deleteLabel(
  acting: Acting,
  caller: SignedIn,
  labelId: number,
): Promise<undefined | Refused<'missing'>> {
  return inPieces(acting, caller, async (act) => {
    const more = await pieceOf(...BEARERS.map((bearer) => () => takeLabelOff(act, bearer, labelId, PIECE)));
    if (more) return more;
    return (await deleteLabelRow(act, labelId)) ? undefined : refused('missing');
  });
}
