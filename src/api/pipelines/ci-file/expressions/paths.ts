import type { Values } from './expression.ts';
import { type Glob, readGlob } from './globs.ts';
import { expandText } from './variables.ts';

/** Of so many comparisons of globs with paths on nobody looks any further: the clause is true. */
const MOST_COMPARISONS = 50_000;

/** What `changes` and `exists` ask of the paths of one pipeline. */
export class Paths {
  readonly #changed: readonly string[] | null;
  readonly #files: readonly string[] | null;
  readonly #answers = new Map<string, boolean>();
  readonly #globs = new Map<string, Glob>();
  #left = MOST_COMPARISONS;

  /** Null: nobody can say, and then everything has changed, or is there. */
  constructor(changed: readonly string[] | null, files: readonly string[] | null) {
    this.#changed = changed;
    this.#files = files;
  }

  haveChanged(globs: readonly string[], values: Values): boolean {
    return this.#some(this.#changed, globs, values, 'changes');
  }

  exist(globs: readonly string[], values: Values): boolean {
    return this.#some(this.#files, globs, values, 'exists');
  }

  #some(paths: readonly string[] | null, globs: readonly string[], values: Values, kind: string): boolean {
    if (paths === null) return true;
    const meant = globs.map((glob) => expandText(glob, (name) => values.get(name)).replace(/^\//, ''));
    const key = JSON.stringify([kind, ...meant]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    this.#left -= globs.length * paths.length;
    const answer = this.#left < 0 || meant.some((glob) => paths.some((path) => this.#glob(glob).matches(path)));
    this.#answers.set(key, answer);
    return answer;
  }

  #glob(glob: string): Glob {
    let read = this.#globs.get(glob);
    if (read === undefined) {
      read = readGlob(glob);
      this.#globs.set(glob, read);
    }
    return read;
  }
}
