import { readExpression } from '#text/safe-regex.ts';

/** What variables mean where a condition is asked. */
export type Values = ReadonlyMap<string, string>;

/** A condition of `if` or `only: variables`. */
export interface Condition {
  holds(values: Values): boolean;
}

/** A regular expression between slashes. */
interface Pattern {
  find(text: string): boolean;
}

type Value = string | boolean | Pattern | null;
type Operand = (values: Values) => Value;

const LONGEST = 10_000;
const DEEPEST = 50;

/** Longer texts match nothing: what may hold a whole commit message is not looked through for each job. */
const LONGEST_SUBJECT = 50_000;

const TOKEN =
  /\s*(?:\$([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|"([^"]*)"|'([^']*)'|(null)(?![A-Za-z0-9_])|(==|!=|=~|!~|&&|\|\||\(|\))|\/((?:[^/\\]|\\.)+)\/([ismU]*))/y;

type Token =
  | { readonly kind: 'operand'; readonly operand: Operand }
  | { readonly kind: 'operator'; readonly text: string };

/**
 * Reads the expression of an `if` (contract/runners.md §6); null for what is none. Comparisons bind closest, then `&&`,
 * then `||`. A text holds when it is not empty.
 */
export function readCondition(source: string, patterns: Patterns): Condition | null {
  if (source.length > LONGEST) return null;
  const tokens = tokensOf(source, patterns);
  const operand = tokens && new Reader(tokens, patterns).whole();
  return operand ? { holds: (values) => truth(operand(values)) } : null;
}

function tokensOf(source: string, patterns: Patterns): Token[] | null {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(source);
    if (found === null) return null;
    const token = tokenOf(found, patterns);
    if (token === null) return null;
    tokens.push(token);
  }
  return tokens;
}

function tokenOf(found: RegExpExecArray, patterns: Patterns): Token | null {
  const [, dollar, braces, double, single, none, operator, pattern, flags = ''] = found;
  const name = dollar ?? braces;
  if (name !== undefined) return { kind: 'operand', operand: (values) => values.get(name) ?? null };
  const text = double ?? single;
  if (text !== undefined) return { kind: 'operand', operand: () => text };
  if (none !== undefined) return { kind: 'operand', operand: () => null };
  if (operator !== undefined) return { kind: 'operator', text: operator };
  const compiled = patterns.compile(pattern!, flags);
  return compiled && { kind: 'operand', operand: () => compiled };
}

/** By precedence, from `||` down. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #patterns: Patterns;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], patterns: Patterns) {
    this.#tokens = tokens;
    this.#patterns = patterns;
  }

  whole(): Operand | null {
    const operand = this.#or();
    return this.#at === this.#tokens.length ? operand : null;
  }

  #or(): Operand | null {
    return this.#each(
      '||',
      () => this.#and(),
      (some) => (values) => some.some((each) => truth(each(values))),
    );
  }

  #and(): Operand | null {
    return this.#each(
      '&&',
      () => this.#comparison(),
      (all) => (values) => all.every((each) => truth(each(values))),
    );
  }

  #each(operator: string, next: () => Operand | null, join: (operands: Operand[]) => Operand): Operand | null {
    const operands: Operand[] = [];
    do {
      const operand = next();
      if (operand === null) return null;
      operands.push(operand);
    } while (this.#take(operator));
    return operands.length === 1 ? operands[0]! : join(operands);
  }

  #comparison(): Operand | null {
    let left = this.#single();
    for (;;) {
      const operator = ['==', '!=', '=~', '!~'].find((each) => this.#take(each));
      if (operator === undefined || left === null) return left;
      const right = this.#single();
      if (right === null) return null;
      left = this.#compare(operator, left, right);
    }
  }

  #compare(operator: string, left: Operand, right: Operand): Operand {
    if (operator === '==') return (values) => left(values) === right(values);
    if (operator === '!=') return (values) => left(values) !== right(values);
    const matches = (values: Values) => this.#matches(left(values), right(values));
    return operator === '=~' ? matches : (values) => !matches(values);
  }

  #matches(text: Value, pattern: Value): boolean {
    const compiled = typeof pattern === 'string' ? this.#patterns.ofText(pattern) : pattern;
    if (typeof text !== 'string' || typeof compiled !== 'object' || compiled === null) return false;
    return text.length <= LONGEST_SUBJECT && compiled.find(text);
  }

  #single(): Operand | null {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'operand') {
      this.#at++;
      return token.operand;
    }
    if (!this.#take('(') || ++this.#depth > DEEPEST) return null;
    const operand = this.#or();
    this.#depth--;
    return this.#take(')') ? operand : null;
  }

  #take(operator: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'operator' || token.text !== operator) return false;
    this.#at++;
    return true;
  }
}

function truth(value: Value): boolean {
  return typeof value === 'string' ? value !== '' : value === true;
}

/** The regular expressions of one file, each compiled once, and no more than one file needs. */
export class Patterns {
  readonly #compiled = new Map<string, Pattern | null>();
  /** What they may come to together: compiling takes time, and repeats the more (`a{1000}`). */
  #left = 100_000;

  /** Null for what is no regular expression, or one too many. */
  compile(source: string, flags: string): Pattern | null {
    const key = `${flags}/${source}`;
    let pattern = this.#compiled.get(key);
    if (pattern === undefined) {
      pattern = this.#compile(source, flags);
      this.#compiled.set(key, pattern);
    }
    return pattern;
  }

  /** Of a text that is a pattern with its slashes, as a variable may hold one; else null. */
  ofText(text: string): Pattern | null {
    const found = text.length > LONGEST ? null : /^\/(.+)\/([ismU]*)$/s.exec(text);
    return found && this.compile(found[1]!, found[2]!);
  }

  #compile(source: string, flags: string): Pattern | null {
    this.#left -= source.includes('{') ? source.length * 50 : source.length;
    if (this.#left < 0) return null;
    const read = readExpression(flags === '' ? source : `(?${flags})${source}`);
    return typeof read === 'string' ? null : { find: (text) => read.matcher(text).find() };
  }
}
