import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { giveIteration } from './assign-iteration.ts';
import { currentIteration } from './iteration-rows.ts';
import { readCadence } from './store.ts';

interface Closed {
  readonly cadenceId: number;
  readonly iterationId: number;
}

/** An iteration that is over hands its open issues to the current one of its cadence, however many they are. */
export const rollOver = defineJob({
  kind: 'roll_over_iteration',
  handle: async ({ runUnitOfWork }: Pick<Services, 'runUnitOfWork'>, closed: Closed) => {
    await inPieces(runUnitOfWork, ANONYMOUS, { ask: nothingToAsk, piece: (uow) => handOver(uow, closed) });
  },
});

async function handOver(uow: UnitOfWork, { cadenceId, iterationId }: Closed): Promise<typeof MORE | undefined> {
  // It may have been switched off since, or have gone.
  if (!(await readCadence(uow, cadenceId))?.roll_over) return undefined;
  const current = await currentIteration(uow, cadenceId);
  if (current === null || current === iterationId) return undefined;
  return (await handOverSome(uow, iterationId, current)) === PIECE ? MORE : undefined;
}

/** How many they were. */
function handOverSome(tx: Transaction, from: number, to: number): Promise<number> {
  return giveIteration(tx, to, (issues) =>
    issues.where('iteration_id', '=', from).where('state', '=', 'opened').orderBy('id'),
  );
}
