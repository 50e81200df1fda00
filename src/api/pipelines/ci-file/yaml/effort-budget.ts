import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { tooBig } from './values.ts';

/** So many steps are done in one turn of the event loop. */
const IN_ONE_TURN = 1_000;

/** A file, with all that it includes, may cost so many steps: some 8,000 lines. */
const MOST_STEPS = 200_000;

/**
 * The work that one CI file makes, counted in steps of some microseconds: it gives way to others before it has held the
 * event loop for long, and ends where no honest file goes.
 */
export class Effort {
  #steps = 0;
  #inTurn = 0;

  /** Throws when all is spent; says whether it is time to `giveWay`. */
  spend(steps: number): boolean {
    this.#steps += steps;
    this.#inTurn += steps;
    if (this.#steps > MOST_STEPS) throw tooBig();
    return this.#inTurn >= IN_ONE_TURN;
  }

  async giveWay(): Promise<void> {
    this.#inTurn = 0;
    await turnOfOthers();
  }
}
