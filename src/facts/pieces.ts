import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Caller } from '../identity/caller.ts';
import type { Act, Acting } from './act.ts';

/** Rows that one piece changes. */
export const PIECE = 500;

/** What a piece returns that leaves more to do. */
export const MORE = Symbol('more');

/** One piece of what is done by so many rows at once, one thing after the other; each tells how many rows it were. */
export async function pieceOf(...some: readonly (() => Promise<number>)[]): Promise<typeof MORE | undefined> {
  for (const one of some) if ((await one()) === PIECE) return MORE;
  return undefined;
}

/**
 * Does in several acts what would hold up everybody as one: `piece` is run again for as long as it says MORE, others have
 * their turn between. For what loses nothing when it ends half way, and can then be asked for again: the last act counts.
 */
export async function inPieces<By extends Caller, T>(
  acting: Acting,
  by: By,
  piece: (act: Act<By>) => Promise<T | typeof MORE>,
): Promise<T> {
  for (;;) {
    const done = await acting(by, piece);
    if (done !== MORE) return done as T;
    await turnOfOthers();
  }
}
