import type { EffortBudget } from '../yaml/effort-budget.ts';
import type { VariableValues } from './expression.ts';
import { compileGlob, type Glob, MAX_GLOB_LENGTH } from './globs.ts';
import { expandReferences } from './variables.ts';

/** After this many comparisons of globs with paths the clause counts as true. */
const MAX_COMPARISONS = 50_000;

/** Evaluates `changes` and `exists` for one pipeline. */
export class PathMatcher {
  readonly #changed: readonly string[] | null;
  readonly #files: readonly string[] | null;
  readonly #answers = new Map<string, boolean>();
  readonly #globs = new Map<string, Glob>();
  readonly #effort: EffortBudget;
  #left = MAX_COMPARISONS;

  /** Null means unknown: then every path counts as changed or existing. */
  constructor(changedPaths: readonly string[] | null, files: readonly string[] | null, effort: EffortBudget) {
    this.#changed = changedPaths;
    this.#files = files;
    this.#effort = effort;
  }

  haveChanged(globs: readonly string[], values: VariableValues): boolean {
    return this.#some(this.#changed, globs, values, 'changes');
  }

  exist(globs: readonly string[], values: VariableValues): boolean {
    return this.#some(this.#files, globs, values, 'exists');
  }

  #some(paths: readonly string[] | null, globs: readonly string[], values: VariableValues, kind: string): boolean {
    if (paths === null) return true;
    const expandedGlobs = globs.map((glob) => this.#expand(glob, values));
    const key = JSON.stringify([kind, ...expandedGlobs]);
    const cachedResult = this.#answers.get(key);
    if (cachedResult !== undefined) return cachedResult;
    this.#left -= globs.length * paths.length;
    const isMatch = this.#left < 0 || expandedGlobs.some((glob) => this.#matchesAny(glob, paths));
    this.#answers.set(key, isMatch);
    return isMatch;
  }

  #expand(glob: string, values: VariableValues): string {
    const expandedGlob = expandReferences(glob, (name) => values.get(name), MAX_GLOB_LENGTH);
    this.#effort.build(expandedGlob.length);
    return expandedGlob.replace(/^\//, '').slice(0, MAX_GLOB_LENGTH + 1);
  }

  #matchesAny(source: string, paths: readonly string[]): boolean {
    const glob = this.#glob(source);
    return paths.some((path) => {
      this.#effort.match(glob.cost, path.length);
      return glob.matches(path);
    });
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
