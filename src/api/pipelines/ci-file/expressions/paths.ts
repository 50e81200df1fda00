import type { EffortBudget } from '../yaml/effort-budget.ts';
import { CiFileError } from '../yaml/values.ts';
import type { VariableValues } from './expression.ts';
import { expandReferences } from './variables.ts';

/** `changes` of a rule. */
export interface ChangesClause {
  readonly globs: readonly string[];
  /** The paths changed since the merge base with this ref count, as written; null: those changed by the push. */
  readonly compareTo: string | null;
}

/** `exists` of a rule. */
export interface ExistsClause {
  readonly globs: readonly string[];
  /** Another project whose files count, as written; null: the pipeline's own commit. */
  readonly project: string | null;
  readonly ref: string | null;
}

/** The paths changed since a ref, or the files of another project. Variables are replaced. */
export type PathSource = { readonly compareTo: string } | { readonly project: string; readonly ref: string | null };

/** Paths that changed or exist; null: they are unknown, so that every path counts as changed or existing. */
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

/** Maximum number of comparisons of globs with paths; a clause that needs more counts as true. */
const MAX_COMPARISONS = 50_000;

/** Evaluates `changes` and `exists` for one pipeline. */
export class PathMatcher {
  readonly #changed: Paths;
  readonly #files: Paths;
  readonly #loaded: LoadedPaths;
  readonly #results = new Map<string, boolean>();
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
    return this.#getResult(['changes', source], expandedGlobs, () => this.#someMatch(paths, expandedGlobs));
  }

  exist({ globs, project, ref }: ExistsClause, values: VariableValues): boolean {
    const source = project === null ? null : this.#createProjectSource(project, ref, values);
    const files = source === null ? this.#files : this.#getLoaded(source, { project, ref });
    if (files === null) return true;
    const expandedGlobs = this.#expandAll(globs, values);
    const patterns = expandedGlobs.filter((glob) => /[*?[{]/.test(glob));
    const names = expandedGlobs.filter((glob) => !patterns.includes(glob));
    return this.#getResult(
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

  #getResult(kind: readonly unknown[], globs: readonly string[], compute: () => boolean): boolean {
    const key = JSON.stringify([...kind, ...globs]);
    const isMatch = this.#results.get(key) ?? compute();
    this.#results.set(key, isMatch);
    return isMatch;
  }

  #someMatch(paths: readonly string[], globs: readonly string[]): boolean {
    if (globs.length * paths.length > MAX_COMPARISONS) return true;
    return globs.some((glob) => this.#matchesAny(glob, paths));
  }

  /** Returns whether a file has this path, or is below it if it ends with a slash. */
  #hasFile(files: readonly string[], name: string): boolean {
    if (name.endsWith('/')) {
      this.#effort.spendMatching(1, files.length);
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
    this.#effort.spendCharacters(expandedGlob.length);
    return expandedGlob.slice(0, MAX_GLOB_LENGTH + 1);
  }

  #matchesAny(source: string, paths: readonly string[]): boolean {
    const glob = this.#glob(source);
    return paths.some((path) => {
      this.#effort.spendMatching(glob.cost, path.length);
      return glob.matches(path);
    });
  }

  #glob(glob: string): Glob {
    let compiledGlob = this.#globs.get(glob);
    if (compiledGlob === undefined) {
      compiledGlob = compileGlob(glob);
      this.#globs.set(glob, compiledGlob);
    }
    return compiledGlob;
  }
}

/**
 * A compiled glob. `*` and `?` match within a folder, two stars before a slash match any number of folders, and other pairs of stars count as
 * one. `[a-z]` and `{a,b}` are supported. Matching takes time linear in the length of the path times that of the glob.
 */
interface Glob {
  /** Upper bound of the cost of a match per character of the path. */
  readonly cost: number;
  matches(path: string): boolean;
}

type Step =
  | { readonly kind: 'character'; readonly text: string }
  | { readonly kind: 'anyCharacter' | 'anyCharacters' | 'anyFolders' }
  | {
      readonly kind: 'characterClass';
      readonly ranges: readonly (readonly [string, string])[];
      readonly negated: boolean;
    };

const MAX_GLOB_LENGTH = 1024;
const MAX_ALTERNATIVES = 100;

/** Compiles a glob. A glob that is too long or has too many alternatives matches nothing. */
export function compileGlob(glob: string): Glob {
  const alternatives = glob.length > MAX_GLOB_LENGTH ? [] : (expandBraces(glob) ?? []);
  const compiledAlternatives = alternatives.map(compileSteps);
  return {
    cost: compiledAlternatives.reduce((sum, { length }) => sum + length, 0),
    matches: (path) => compiledAlternatives.some((steps) => matches(steps, path)),
  };
}

/** Expands braces: `a{b,c{d,e}}` gives `ab`, `acd`, `ace`. Returns null if there are too many. An unmatched brace is a literal. */
function expandBraces(glob: string): string[] | null {
  const pendingGlobs = [glob];
  const expandedGlobs: string[] = [];
  for (let next = pendingGlobs.pop(); next !== undefined; next = pendingGlobs.pop()) {
    if (pendingGlobs.length + expandedGlobs.length >= MAX_ALTERNATIVES) return null;
    const braces = expandFirstBraces(next);
    if (braces === null) expandedGlobs.push(next);
    else pendingGlobs.push(...braces);
  }
  return expandedGlobs;
}

function expandFirstBraces(glob: string): string[] | null {
  const start = glob.indexOf('{');
  if (start < 0) return null;
  const commas = [start];
  let depth = 0;
  for (let position = start; position < glob.length; position++) {
    if (glob[position] === '{') depth++;
    else if (glob[position] === ',' && depth === 1) commas.push(position);
    else if (glob[position] === '}' && --depth === 0) {
      const [before, after] = [glob.slice(0, start), glob.slice(position + 1)];
      return commas.map((comma, index) => before + glob.slice(comma + 1, commas[index + 1] ?? position) + after);
    }
  }
  return null;
}

function compileSteps(glob: string): Step[] {
  const steps: Step[] = [];
  for (let position = 0; position < glob.length; position++) {
    const character = glob[position]!;
    const isAtSegmentStart = position === 0 || glob[position - 1] === '/';
    if (isAtSegmentStart && glob.startsWith('**/', position)) {
      steps.push({ kind: 'anyFolders' });
      position += 2;
    } else if (character === '*') {
      if (steps.at(-1)?.kind !== 'anyCharacters') steps.push({ kind: 'anyCharacters' });
    } else if (character === '?') {
      steps.push({ kind: 'anyCharacter' });
    } else if (character === '[') {
      const end = glob.indexOf(']', position + 2);
      if (end < 0) steps.push({ kind: 'character', text: '[' });
      else {
        steps.push(compileCharacterClass(glob.slice(position + 1, end)));
        position = end;
      }
    } else {
      if (character === '\\' && position + 1 < glob.length) position++;
      steps.push({ kind: 'character', text: glob[position]! });
    }
  }
  return steps;
}

function compileCharacterClass(content: string): Step {
  const negated = /^[!^]/.test(content);
  const ranges: [string, string][] = [];
  for (const [, from, to] of content.slice(negated ? 1 : 0).matchAll(/(.)(?:-(.))?/gs))
    ranges.push([from!, to ?? from!]);
  return { kind: 'characterClass', ranges, negated };
}

/** Simulates the glob as a state machine: after each character of the path, `positions` are all steps that may match next. */
function matches(steps: readonly Step[], path: string): boolean {
  let positions = addSkippedPositions(steps, [0], true);
  for (let pathIndex = 0; pathIndex < path.length && positions.size > 0; pathIndex++) {
    const character = path[pathIndex]!;
    const next: number[] = [];
    for (const position of positions) {
      const step = steps[position];
      if (step === undefined) continue;
      if (repeatsOn(step, character)) next.push(position);
      if (advancesOn(step, character)) next.push(position + 1);
    }
    positions = addSkippedPositions(steps, next, character === '/');
  }
  return positions.has(steps.length);
}

/** Adds the positions after steps that may match nothing; `anyFolders` only at the start of a folder. */
function addSkippedPositions(
  steps: readonly Step[],
  positions: readonly number[],
  isFolderStart: boolean,
): Set<number> {
  const all = new Set<number>();
  for (let position of positions) {
    all.add(position);
    for (let step = steps[position]; step !== undefined; step = steps[position]) {
      const maySkip = step.kind === 'anyCharacters' || (step.kind === 'anyFolders' && isFolderStart);
      if (!maySkip || all.has(position + 1)) break;
      all.add(++position);
    }
  }
  return all;
}

function repeatsOn({ kind }: Step, character: string): boolean {
  return kind === 'anyFolders' || (kind === 'anyCharacters' && character !== '/');
}

function advancesOn(step: Step, character: string): boolean {
  if (step.kind === 'character') return step.text === character;
  if (character === '/') return false;
  if (step.kind === 'anyCharacter') return true;
  if (step.kind !== 'characterClass') return false;
  return step.ranges.some(([from, to]) => from <= character && character <= to) !== step.negated;
}
