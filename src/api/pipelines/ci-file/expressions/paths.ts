import type { EffortBudget } from '../yaml/effort-budget.ts';
import { CiFileError } from '../yaml/values.ts';
import type { VariableValues } from './expression.ts';
import { compileGlob, type Glob, MAX_GLOB_LENGTH } from './globs.ts';
import { expandReferences } from './variables.ts';

export interface ChangesClause {
  readonly globs: readonly string[];
  /** The ref whose merge base the paths are compared with, as written; null: the previous commit of the push. */
  readonly compareTo: string | null;
}

export interface ExistsClause {
  readonly globs: readonly string[];
  /** Another project whose files count, as written; null: the pipeline's own commit. */
  readonly project: string | null;
  readonly ref: string | null;
}

/** The paths changed since a ref, or the files of another project. Variables are replaced. */
export type PathSource = { readonly compareTo: string } | { readonly project: string; readonly ref: string | null };

/** Null means unknown: then every path counts as changed or existing. */
export type Paths = readonly string[] | null;

/** Thrown where paths of this source are needed but not loaded yet. */
export class PathsRequired extends Error {
  readonly source: PathSource;

  constructor(source: PathSource) {
    super('paths required');
    this.source = source;
  }
}

/** The paths that a rule names cannot be loaded. */
export class RulePathsError extends CiFileError {}

/** The loaded paths, by the JSON of their source; a text is an error. */
export type LoadedPaths = ReadonlyMap<string, Paths | string>;

/** A clause that needs more comparisons of globs with paths counts as true. */
const MAX_COMPARISONS = 50_000;

/** Evaluates `changes` and `exists` for one pipeline. */
export class PathMatcher {
  readonly #changed: Paths;
  readonly #files: Paths;
  readonly #loaded: LoadedPaths;
  readonly #answers = new Map<string, boolean>();
  readonly #globs = new Map<string, Glob>();
  readonly #effort: EffortBudget;
  readonly #fileSets = new Map<readonly string[], ReadonlySet<string>>();

  constructor(changedPaths: Paths, files: Paths, effort: EffortBudget, loaded: LoadedPaths = new Map()) {
    this.#changed = changedPaths;
    this.#files = files;
    this.#effort = effort;
    this.#loaded = loaded;
  }

  haveChanged({ globs, compareTo }: ChangesClause, values: VariableValues): boolean {
    const source = compareTo === null ? null : { compareTo: this.#expand(compareTo, values) };
    const paths = source === null ? this.#changed : this.#getLoaded(source);
    if (paths === null) return true;
    const expandedGlobs = this.#expandAll(globs, values);
    return this.#answer(['changes', source], expandedGlobs, () => this.#someMatch(paths, expandedGlobs));
  }

  exist({ globs, project, ref }: ExistsClause, values: VariableValues): boolean {
    const source = project === null ? null : this.#createProjectSource(project, ref, values);
    const files = source === null ? this.#files : this.#getLoaded(source, { project, ref });
    if (files === null) return true;
    const expandedGlobs = this.#expandAll(globs, values);
    const patterns = expandedGlobs.filter((glob) => /[*?[{]/.test(glob));
    const names = expandedGlobs.filter((glob) => !patterns.includes(glob));
    return this.#answer(
      ['exists', source],
      expandedGlobs,
      () => names.some((name) => this.#hasFile(files, name)) || this.#someMatch(files, patterns),
    );
  }

  #createProjectSource(project: string, ref: string | null, values: VariableValues): PathSource {
    return { project: this.#expand(project, values), ref: ref === null ? null : this.#expand(ref, values) };
  }

  /** Throws PathsRequired if the paths are not loaded, and a RulePathsError if they cannot be. Its text shows the names as written. */
  #getLoaded(
    source: PathSource,
    names: { readonly project?: string | null; readonly ref?: string | null } = {},
  ): Paths {
    const paths = this.#loaded.get(JSON.stringify(source));
    if (paths === undefined) throw new PathsRequired(source);
    if (typeof paths === 'string') {
      const { project, ref } = names;
      throw new RulePathsError(paths.replace('{project}', () => project ?? '').replace('{ref}', () => ref ?? ''));
    }
    return paths;
  }

  #answer(kind: readonly unknown[], globs: readonly string[], compute: () => boolean): boolean {
    const key = JSON.stringify([...kind, ...globs]);
    const isMatch = this.#answers.get(key) ?? compute();
    this.#answers.set(key, isMatch);
    return isMatch;
  }

  #someMatch(paths: readonly string[], globs: readonly string[]): boolean {
    if (globs.length * paths.length > MAX_COMPARISONS) return true;
    return globs.some((glob) => this.#matchesAny(glob, paths));
  }

  /** Returns whether a file has this path, or is below it if it ends with a slash. */
  #hasFile(files: readonly string[], name: string): boolean {
    if (name.endsWith('/')) {
      this.#effort.match(1, files.length);
      return files.some((path) => path.startsWith(name));
    }
    const fileSet = this.#fileSets.get(files) ?? new Set(files);
    this.#fileSets.set(files, fileSet);
    return fileSet.has(name);
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
