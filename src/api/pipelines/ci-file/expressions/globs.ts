/**
 * Globs over paths of a repository, in time linear in the path times the glob: `*` and `?` stay inside a folder, two stars before a slash go
 * through any number of them, `[a-z]`, `{a,b}`. Other pairs of stars count as one star.
 */
export interface Glob {
  /** Upper bound of the cost of a match per character of the path. */
  readonly cost: number;
  matches(path: string): boolean;
}

type Step =
  | { readonly kind: 'character'; readonly text: string }
  | { readonly kind: 'one' | 'some' | 'folders' }
  | { readonly kind: 'among'; readonly ranges: readonly (readonly [string, string])[]; readonly negated: boolean };

export const MAX_GLOB_LENGTH = 1024;
const MAX_ALTERNATIVES = 100;

/** Compiles a glob. A glob that is too long or has too many alternatives matches nothing. */
export function compileGlob(glob: string): Glob {
  const alternatives = glob.length > MAX_GLOB_LENGTH ? [] : (expandBraces(glob) ?? []);
  const all = alternatives.map((each) => compileSteps(each));
  return {
    cost: all.reduce((sum, { length }) => sum + length, 0),
    matches: (path) => all.some((steps) => matches(steps, path)),
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
      steps.push({ kind: 'folders' });
      position += 2;
    } else if (character === '*') {
      if (steps.at(-1)?.kind !== 'some') steps.push({ kind: 'some' });
    } else if (character === '?') {
      steps.push({ kind: 'one' });
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
  return { kind: 'among', ranges, negated };
}

/** Simulates the glob as a state machine: after each character of the path, keeps all steps that it may have reached. */
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

/** Adds the positions after steps that may match nothing; `folders` only at the start of a folder. */
function addSkippedPositions(steps: readonly Step[], positions: readonly number[], atStart: boolean): Set<number> {
  const all = new Set<number>();
  for (let position of positions) {
    all.add(position);
    for (let step = steps[position]; step !== undefined; step = steps[position]) {
      const maySkip = step.kind === 'some' || (step.kind === 'folders' && atStart);
      if (!maySkip || all.has(position + 1)) break;
      all.add(++position);
    }
  }
  return all;
}

function repeatsOn({ kind }: Step, character: string): boolean {
  return kind === 'folders' || (kind === 'some' && character !== '/');
}

function advancesOn(step: Step, character: string): boolean {
  if (step.kind === 'character') return step.text === character;
  if (character === '/') return false;
  if (step.kind === 'one') return true;
  if (step.kind !== 'among') return false;
  return step.ranges.some(([from, to]) => from <= character && character <= to) !== step.negated;
}
