import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Caller } from '#authentication/caller.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import type { RunUnitOfWork, UnitOfWork } from './unit-of-work.ts';

/** Rows that one piece changes. */
export const PIECE = 500;

/** What a piece returns that leaves more to do. */
export const MORE = Symbol('more');

/** One piece of what is done by so many rows at once, one thing after the other; each tells how many rows it were. */
export async function pieceOf(...some: readonly (() => Promise<number>)[]): Promise<typeof MORE | undefined> {
  for (const one of some) if ((await one()) === PIECE) return MORE;
  return undefined;
}

interface Pieces<By extends Caller, Found, No extends string, T> {
  /**
   * Asked at the beginning of each piece, which is given what it finds: others have had their turn since the door, and since
   * the piece before. Throws `AccessRevoked` when the caller would not be let in any more (`authorization/current-access.ts`); what it refuses
   * ends the work. `begun`: a piece has been done, so that what is refused for its own sake should have been by now.
   */
  readonly ask: (uow: UnitOfWork<By>, begun: boolean) => Promise<Found | Failure<No>>;
  readonly piece: (uow: UnitOfWork<By>, found: Found) => Promise<T | typeof MORE>;
}

/** For background work that nobody's right decides, and that finds nothing to do where all has changed. */
export const nothingToAsk = async (): Promise<undefined> => undefined;

/**
 * Does in several acts what would hold up everybody as one: `piece` is run again for as long as it says MORE, others have
 * their turn between. For what loses nothing when it ends half way, and can then be asked for again: the last act counts.
 */
export async function inPieces<By extends Caller, Found, No extends string, T>(
  runUnitOfWork: RunUnitOfWork,
  by: By,
  { ask, piece }: Pieces<By, Found, No, T>,
): Promise<T | Failure<No>> {
  for (let begun = false; ; begun = true) {
    const done = await runUnitOfWork(by, async (uow: UnitOfWork<By>) => {
      const found = await ask(uow, begun);
      return isFailure(found) ? (found as Failure<No>) : piece(uow, found as Found);
    });
    if (done !== MORE) return done as T | Failure<No>;
    await turnOfOthers();
  }
}
