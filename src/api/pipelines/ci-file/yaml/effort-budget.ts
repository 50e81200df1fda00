import { fileTooLarge } from './values.ts';

/** Limit for steps of a few microseconds each; enough for about 8,000 lines and 1,000 jobs. */
const MAX_STEPS = 400_000;

/** Limit for the characters of texts that are built: expanded references, names of parallel jobs, stored options. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Limit for the work of regular expressions and globs: the cost per character times the length of the text; about one second. */
const MAX_MATCHING = 100_000_000;

/** The work that one CI file with all its includes may cause, from parsing to planning. Each method throws beyond its limit. */
export class EffortBudget {
  #steps = 0;
  #characters = 0;
  #matching = 0;

  /** Spends steps of any other work. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw fileTooLarge();
  }

  /** Spends the characters of a text that is about to be built. */
  spendCharacters(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw fileTooLarge();
  }

  /** Spends the work of matching a text of this length. */
  spendMatching(costPerCharacter: number, length: number): void {
    this.#matching += costPerCharacter * length;
    if (this.#matching > MAX_MATCHING) throw fileTooLarge();
  }
}
