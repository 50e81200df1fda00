import type { VariableValues } from './expression.ts';
import { compileGlob, type Glob } from './globs.ts';
import { expandReferences } from './variables.ts';

/** After this many comparisons of globs with paths the clause counts as true. */
const MAX_COMPARISONS = 50_000;

/** Evaluates `changes` and `exists` for one pipeline. */
export class PathMatcher {
  readonly #changed: readonly string[] | null;
  readonly #files: readonly string[] | null;
  readonly #answers = new Map<string, boolean>();
  readonly #globs = new Map<string, Glob>();
  #left = MAX_COMPARISONS;

  /** Null means unknown: then every path counts as changed or existing. */
  constructor(changed: readonly string[] | null, files: readonly string[] | null) {
    this.#changed = changed;
    this.#files = files;
  }

  haveChanged(globs: readonly string[], values: VariableValues): boolean {
    return this.#some(this.#changed, globs, values, 'changes');
  }

  exist(globs: readonly string[], values: VariableValues): boolean {
    return this.#some(this.#files, globs, values, 'exists');
  }

  #some(paths: readonly string[] | null, globs: readonly string[], values: VariableValues, kind: string): boolean {
    if (paths === null) return true;
    const meant = globs.map((glob) => expandReferences(glob, (name) => values.get(name)).replace(/^\//, ''));
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
      read = compileGlob(glob);
      this.#globs.set(glob, read);
    }
    return read;
  }
}
