import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { fileTooLarge } from './values.ts';

/** Steps before the work yields to the event loop. */
const MAX_STEPS_BEFORE_YIELD = 1_000;

/** Step limit for a file with all its includes: about 8,000 lines. */
const MAX_STEPS = 200_000;

/** Work budget of one CI file, counted in steps of a few microseconds. The work yields regularly, and fails beyond the limit. */
export class EffortBudget {
  #steps = 0;
  #inTurn = 0;

  /** Spends steps; throws when the budget is exhausted. Returns whether it is time to yield. */
  spend(steps: number): boolean {
    this.#steps += steps;
    this.#inTurn += steps;
    if (this.#steps > MAX_STEPS) throw fileTooLarge();
    return this.#inTurn >= MAX_STEPS_BEFORE_YIELD;
  }

  async yieldToOthers(): Promise<void> {
    this.#inTurn = 0;
    await turnOfOthers();
  }
}
