import { referElsewhere } from '#database/batch-statements.ts';
import { inPieces, PIECE, pieceOf } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type InParent, stillIn } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { MANAGING } from './access.ts';
import { BEARERS, deleteLabelRow, takeLabelOff } from './store.ts';

/** What histories tell of labels. index: resource_label_events_by_label */
const TOLD = { table: 'resource_label_events', column: 'label_id' };

/** Deletes a label, in several acts if very many things bear it: they lose it first, and their histories. */
export function deleteLabel(
  runUnitOfWork: RunUnitOfWork,
  at: InParent,
  labelId: number,
): Promise<undefined | Failure<'notFound'>> {
  return inPieces(runUnitOfWork, at.caller, {
    ask: (uow) => stillIn(uow, at, MANAGING),
    async piece(uow) {
      const more = await pieceOf(...BEARERS.map((bearer) => () => takeLabelOff(uow, bearer, labelId, PIECE)), () =>
        referElsewhere(uow, TOLD, { from: labelId, to: null, most: PIECE }),
      );
      if (more) return more;
      return (await deleteLabelRow(uow, labelId)) ? undefined : fail('notFound');
    },
  });
}
