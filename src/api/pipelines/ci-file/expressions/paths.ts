import type { EffortBudget } from '../yaml/effort-budget.ts';
import type { VariableValues } from './expression.ts';
import { compileGlob, type Glob, MAX_GLOB_LENGTH } from './globs.ts';
import { expandReferences } from './variables.ts';

/** A clause that needs more comparisons of globs with paths counts as true. */
const MAX_COMPARISONS = 50_000;

/** Evaluates `changes` and `exists` for one pipeline. */
export class PathMatcher {
  readonly #changed: readonly string[] | null;
  readonly #files: readonly string[] | null;
  readonly #answers = new Map<string, boolean>();
  readonly #globs = new Map<string, Glob>();
  readonly #effort: EffortBudget;
  #fileSet: ReadonlySet<string> | null = null;

  /** Null means unknown: then every path counts as changed or existing. */
  constructor(changedPaths: readonly string[] | null, files: readonly string[] | null, effort: EffortBudget) {
    this.#changed = changedPaths;
    this.#files = files;
    this.#effort = effort;
  }

  haveChanged(globs: readonly string[], values: VariableValues): boolean {
    if (this.#changed === null) return true;
    const expandedGlobs = this.#expandAll(globs, values);
    return this.#answer('changes', expandedGlobs, () => this.#someMatch(this.#changed!, expandedGlobs));
  }

  exist(globs: readonly string[], values: VariableValues): boolean {
    if (this.#files === null) return true;
    const expandedGlobs = this.#expandAll(globs, values);
    const patterns = expandedGlobs.filter((glob) => /[*?[{]/.test(glob));
    const names = expandedGlobs.filter((glob) => !patterns.includes(glob));
    return this.#answer(
      'exists',
      expandedGlobs,
      () => names.some((name) => this.#hasFile(name)) || this.#someMatch(this.#files!, patterns),
    );
  }

  #answer(kind: string, globs: readonly string[], compute: () => boolean): boolean {
    const key = JSON.stringify([kind, ...globs]);
    const isMatch = this.#answers.get(key) ?? compute();
    this.#answers.set(key, isMatch);
    return isMatch;
  }

  #someMatch(paths: readonly string[], globs: readonly string[]): boolean {
    if (globs.length * paths.length > MAX_COMPARISONS) return true;
    return globs.some((glob) => this.#matchesAny(glob, paths));
  }

  /** Returns whether a file has this path, or is below it if it ends with a slash. */
  #hasFile(name: string): boolean {
    this.#fileSet ??= new Set(this.#files);
    if (!name.endsWith('/')) return this.#fileSet.has(name);
    this.#effort.match(1, this.#files!.length);
    return this.#files!.some((path) => path.startsWith(name));
  }

  #expandAll(globs: readonly string[], values: VariableValues): string[] {
    return [...new Set(globs.map((glob) => this.#expand(glob, values)))];
  }

  #expand(glob: string, values: VariableValues): string {
    const expandedGlob = expandReferences(glob, (name) => values.get(name), MAX_GLOB_LENGTH);
    this.#effort.build(expandedGlob.length);
    return expandedGlob.slice(0, MAX_GLOB_LENGTH + 1);
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
