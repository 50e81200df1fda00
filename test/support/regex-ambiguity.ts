import { type AST, RegExpParser } from '@eslint-community/regexpp';

/**
 * Returns why this regular expression can take more than linear time on some text, or null if it cannot.
 * JavaScript's engine backtracks through every path before a match fails. Two paths over the same text cost quadratic
 * time; nested loops cost exponential time.
 *
 * The check builds the position automaton (Glushkov): one position per character class, linked to its possible successors.
 * The expression is ambiguous if two consecutive loops, or a loop and the search for the start, read the same text, or if
 * a loop has two paths. Ambiguity is harmless where the match can no longer fail.
 * Lookarounds are checked separately; a repeat count over `MOST_COPIES` counts as unlimited.
 */
export function ambiguity(source: string, flags: string): string | null {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: /[uv]/.test(flags) });
  return ambiguityOf(pattern.alternatives, flags.replace(/[gyd]/g, ''), !flags.includes('y'));
}

const MOST_COPIES = 50;

/** Sample characters of every kind that character classes distinguish. */
const ALPHABET = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...['\u0085', '\u00a0', 'é', 'ſ', 'Ж', '€', '中', '\u2028', '\u0301', '👍', '🇩'],
];

interface Position {
  /** The indexes in `ALPHABET` of the characters that it matches. */
  readonly reads: Set<number>;
  readonly follow: Set<number>;
}

/** A part of the expression: its first and last positions, and whether it matches the empty text. */
interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly empty: boolean;
}

const EMPTY: Part = { first: [], last: [], empty: true };

function ambiguityOf(alternatives: readonly AST.Alternative[], flags: string, searches: boolean): string | null {
  for (const inner of lookArounds(alternatives)) {
    const wrong = ambiguityOf(inner, flags, false);
    if (wrong !== null) return wrong;
  }
  const automaton = new Automaton(flags);
  const parts = alternatives.map((alternative) => automaton.sequence(alternative.elements));
  if (automaton.twoWaysAround) return 'a loop inside a loop';
  if (searches)
    automaton.search(parts.filter((_, index) => !isAnchored(alternatives[index] as AST.Alternative, flags)));
  const ends = new Set(parts.flatMap(({ last }) => last));
  return automaton.secondWay(ends);
}

function isAnchored({ elements: [first] }: AST.Alternative, flags: string): boolean {
  if (first?.type === 'Group' || first?.type === 'CapturingGroup') {
    return first.alternatives.every((one) => isAnchored(one, flags));
  }
  return first?.type === 'Assertion' && first.kind === 'start' && !flags.includes('m');
}

function lookArounds(alternatives: readonly AST.Alternative[]): (readonly AST.Alternative[])[] {
  return alternatives.flatMap(({ elements }) => elements.flatMap(lookAroundsOf));
}

function lookAroundsOf(element: AST.Element): (readonly AST.Alternative[])[] {
  if (element.type === 'Quantifier') return lookAroundsOf(element.element);
  if (element.type === 'Group' || element.type === 'CapturingGroup') return lookArounds(element.alternatives);
  return element.type === 'Assertion' && 'alternatives' in element ? [element.alternatives] : [];
}

class Automaton {
  readonly #positions: Position[] = [];
  readonly #classes = new Map<string, Set<number>>();
  readonly #flags: string;
  twoWaysAround = false;

  constructor(flags: string) {
    this.#flags = flags;
  }

  sequence(elements: readonly AST.Element[]): Part {
    return elements.map((element) => this.#part(element)).reduce((before, after) => this.#then(before, after), EMPTY);
  }

  #part(element: AST.Element): Part {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#either(element.alternatives.map((alternative) => this.sequence(alternative.elements)));
      case 'Quantifier':
        return this.#repeated(element);
      case 'Assertion':
        // `$` matches a character that no text contains, so that a match before it can still fail.
        return element.kind === 'end' ? this.#reading(new Set()) : EMPTY;
      case 'Backreference':
        throw new Error('an expression with a back reference takes exponential time');
      default:
        return this.#reading(this.#membersOf(element.raw));
    }
  }

  #reading(reads: Set<number>): Part {
    const at = this.#positions.push({ reads, follow: new Set() }) - 1;
    return { first: [at], last: [at], empty: false };
  }

  #membersOf(raw: string): Set<number> {
    const known = this.#classes.get(raw);
    if (known) return known;
    const one = new RegExp(`^(?:${raw})$`, this.#flags);
    const members = new Set(ALPHABET.flatMap((character, at) => (one.test(character) ? [at] : [])));
    this.#classes.set(raw, members);
    return members;
  }

  #either(parts: readonly Part[]): Part {
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      empty: parts.some(({ empty }) => empty),
    };
  }

  #then(before: Part, after: Part): Part {
    this.#link(before.last, after.first);
    return {
      first: before.empty ? [...before.first, ...after.first] : before.first,
      last: after.empty ? [...before.last, ...after.last] : after.last,
      empty: before.empty && after.empty,
    };
  }

  /** As many copies as may be, each of which follows the one before it; the last one of an endless count is a loop. */
  #repeated({ element, min, max }: AST.Quantifier): Part {
    const endless = max > MOST_COPIES;
    const copies = Array.from({ length: endless ? Math.max(1, Math.min(min, MOST_COPIES)) : max }, () =>
      this.#part(element as AST.Element),
    );
    for (const [at, copy] of copies.entries()) this.#link(copies[at - 1]?.last ?? [], copy.first);
    const loop = copies.at(-1) ?? EMPTY;
    if (endless) this.#around(loop);
    return {
      first: copies[0]?.first ?? [],
      last: copies.slice(Math.max(min, 1) - 1).flatMap(({ last }) => last),
      empty: min === 0 || loop.empty,
    };
  }

  /** Links the end of a loop to its start. If they are linked already, the loop has two paths. */
  #around({ first, last }: Part): void {
    for (const end of last) {
      for (const begin of first) if (this.#positions[end]?.follow.has(begin)) this.twoWaysAround = true;
    }
    this.#link(last, first);
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const at of from) for (const next of to) this.#positions[at]?.follow.add(next);
  }

  /** Adds a loop over any character before the expression: the engine tries every start position. */
  search(parts: readonly Part[]): void {
    if (parts.length === 0) return;
    const everything = new Set(ALPHABET.keys());
    const { first } = this.#reading(everything);
    this.#link(first, [...first, ...parts.flatMap((part) => part.first)]);
  }

  /** Returns a description of two consecutive loops over the same text, or of a loop with two paths; else null. */
  secondWay(ends: Set<number>): string | null {
    const loops = [...this.#positions.keys()].filter((at) => this.#reaches([at], ([next]) => next === at));
    for (const p of loops) {
      if (this.#reaches([p, p], ([a, b]) => a === p && b === p, true)) return 'two ways around a loop';
      for (const q of loops) {
        if (p === q || ends.has(q) || common(this.#reads(p), this.#reads(q)).size === 0) continue;
        if (this.#reaches([p, p, q], ([a, b, c]) => a === p && b === q && c === q))
          return 'two loops over the same text';
      }
    }
    return null;
  }

  /** Returns whether these states reach `found` over the same text; with `apart`, only via differing states. */
  #reaches(start: readonly number[], found: (states: readonly number[]) => boolean, apart = false): boolean {
    const seen = new Set<string>();
    const waiting: { states: readonly number[]; parted: boolean }[] = [{ states: start, parted: false }];
    for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
      for (const states of this.#steps(here.states)) {
        const parted = here.parted || states.some((state) => state !== states[0]);
        if (found(states) && (!apart || parted)) return true;
        const key = `${states.join()} ${parted}`;
        if (!seen.has(key)) waiting.push({ states, parted });
        seen.add(key);
      }
    }
    return false;
  }

  #reads(at: number): Set<number> {
    return this.#positions[at]?.reads ?? new Set();
  }

  /** Returns the states that are reachable with one more character, the same for all. */
  #steps(states: readonly number[]): (readonly number[])[] {
    let steps: { states: readonly number[]; reads: Set<number> }[] = [{ states: [], reads: new Set(ALPHABET.keys()) }];
    for (const state of states) {
      const follow = [...(this.#positions[state]?.follow ?? [])];
      steps = steps.flatMap(({ states: before, reads }) =>
        follow.flatMap((next) => {
          const both = common(reads, this.#reads(next));
          return both.size === 0 ? [] : [{ states: [...before, next], reads: both }];
        }),
      );
    }
    return steps.map(({ states: reached }) => reached);
  }
}

const common = (one: Set<number>, other: Set<number>) => new Set([...one].filter((at) => other.has(at)));
