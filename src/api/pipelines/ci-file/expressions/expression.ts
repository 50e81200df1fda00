import { compileRegex, getRegexCost, parseRegexLiteral } from '#text/safe-regex.ts';
import type { EffortBudget } from '../yaml/effort-budget.ts';

/** Values of variables by key, for evaluating a condition. */
export type VariableValues = ReadonlyMap<string, string>;

/** A condition of `if` or `only: variables`. */
export interface Condition {
  isTrue(values: VariableValues): boolean;
}

/** Number of tokens of a condition that cost one step when it is evaluated. */
const TOKENS_PER_STEP = 20;

/** A compiled regular expression. */
interface Pattern {
  find(text: string): boolean;
}

type Value = string | boolean | Pattern | null;
type Operand = (values: VariableValues) => Value;

const MAX_EXPRESSION_LENGTH = 10_000;
const MAX_DEPTH = 50;

/** Longer subjects never match: a variable may hold a whole commit message, and scanning it for each job is expensive. */
const MAX_SUBJECT_LENGTH = 50_000;

const MAX_TOKENS = 99;

/**
 * Matches one token. A regular expression between slashes has at least two characters. `$[[ inputs.NAME ]]` is valid, but its value
 * is always null.
 */
const TOKEN =
  /\s*(?:\$\[\[\s*(?<input>inputs\.[\w-]+)\s*\]\]|\$(?<variable>\w+)|"(?<double>[^"\n]*)"|'(?<single>[^'\n]*)'|(?<pattern>\/(?:[^/]|\\\/)+[^\\]\/[ismU]*)|(?<word>null|\b(?:true|false)\b)|(?<operator>==|!=|=~|!~|&&|\|\||\(|\)))/y;

const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);

type Token =
  | { readonly kind: 'operand'; readonly operand: Operand }
  | { readonly kind: 'operator'; readonly text: string };

/**
 * Parses the expression of an `if`, once for all jobs that share it; returns null if it is invalid (contract/runners.md §6). Comparisons
 * have the highest precedence, then `&&`, then `||`. Null and false count as false; a blank text does so only as the whole expression.
 */
export function parseCondition(source: string, patterns: PatternCache): Condition | null {
  if (source.length > MAX_EXPRESSION_LENGTH) return null;
  return patterns.getCondition(source, () => compileCondition(source, patterns));
}

function compileCondition(source: string, patterns: PatternCache): Condition | null {
  const { effort } = patterns;
  effort.spend(Math.ceil(source.length / 100));
  const tokens = tokenize(source, patterns);
  const operand = tokens && new ExpressionParser(tokens, patterns).parse();
  if (!operand) return null;
  const cost = Math.ceil(tokens.length / TOKENS_PER_STEP);
  return {
    isTrue(values) {
      effort.spend(cost);
      const value = operand(values);
      return typeof value === 'string' ? value.trim() !== '' : isTruthy(value);
    },
  };
}

function tokenize(source: string, patterns: PatternCache): Token[] | null {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let position = 0; position < end; position = TOKEN.lastIndex) {
    const tokenMatch = TOKEN.exec(source);
    if (tokenMatch === null || tokens.length >= MAX_TOKENS) return null;
    const token = toToken(tokenMatch, patterns);
    if (token === null) return null;
    tokens.push(token);
  }
  return tokens;
}

function toToken(tokenMatch: RegExpExecArray, patterns: PatternCache): Token | null {
  const { input, variable, double, single, pattern, word, operator } = tokenMatch.groups!;
  if (operator !== undefined) return { kind: 'operator', text: operator };
  if (variable !== undefined) return { kind: 'operand', operand: (values) => values.get(variable) ?? null };
  const compiled = pattern === undefined ? null : patterns.compileLiteral(pattern);
  if (pattern !== undefined && compiled === null) return null;
  const constant = input === undefined ? (compiled ?? double ?? single ?? CONSTANTS.get(word!) ?? null) : null;
  return { kind: 'operand', operand: () => constant };
}

/** Recursive-descent parser; methods are ordered by precedence, lowest (`||`) first. */
class ExpressionParser {
  readonly #tokens: readonly Token[];
  readonly #patterns: PatternCache;
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], patterns: PatternCache) {
    this.#tokens = tokens;
    this.#patterns = patterns;
  }

  parse(): Operand | null {
    const operand = this.#parseOr();
    return this.#position === this.#tokens.length ? operand : null;
  }

  #parseOr(): Operand | null {
    return this.#parseChain(
      '||',
      () => this.#parseAnd(),
      (operands) => (values) => evaluateUntil(operands, values, isTruthy),
    );
  }

  #parseAnd(): Operand | null {
    return this.#parseChain(
      '&&',
      () => this.#parseComparison(),
      (operands) => (values) => evaluateUntil(operands, values, (value) => !isTruthy(value)),
    );
  }

  #parseChain(operator: string, next: () => Operand | null, join: (operands: Operand[]) => Operand): Operand | null {
    const operands: Operand[] = [];
    do {
      const operand = next();
      if (operand === null) return null;
      operands.push(operand);
    } while (this.#takeOperator(operator));
    return operands.length === 1 ? operands[0]! : join(operands);
  }

  #parseComparison(): Operand | null {
    let leftOperand = this.#parseOperand();
    for (;;) {
      const operator = ['==', '!=', '=~', '!~'].find((each) => this.#takeOperator(each));
      if (operator === undefined || leftOperand === null) return leftOperand;
      const right = this.#parseOperand();
      if (right === null) return null;
      leftOperand = this.#compare(operator, leftOperand, right);
    }
  }

  #compare(operator: string, leftOperand: Operand, right: Operand): Operand {
    if (operator === '==') return (values) => areEqual(leftOperand(values), right(values));
    if (operator === '!=') return (values) => !areEqual(leftOperand(values), right(values));
    const matches = (values: VariableValues) => this.#matches(leftOperand(values), right(values));
    return operator === '=~' ? matches : (values) => !matches(values);
  }

  /** Returns whether the subject matches. A pattern without slashes matches the texts that it contains. Null counts as the empty text. */
  #matches(subject: Value, pattern: Value): boolean {
    const text = subject === null ? '' : typeof subject === 'object' ? null : String(subject);
    if (text === null || text.length > MAX_SUBJECT_LENGTH || pattern === null || typeof pattern === 'boolean')
      return false;
    const compiled = typeof pattern === 'string' ? this.#patterns.compileLiteral(pattern) : pattern;
    return compiled === null ? (pattern as string).includes(text) : compiled.find(text);
  }

  #parseOperand(): Operand | null {
    const token = this.#tokens[this.#position];
    if (token?.kind === 'operand') {
      this.#position++;
      return token.operand;
    }
    if (!this.#takeOperator('(') || ++this.#depth > MAX_DEPTH) return null;
    const operand = this.#parseOr();
    this.#depth--;
    return this.#takeOperator(')') ? operand : null;
  }

  #takeOperator(operator: string): boolean {
    const token = this.#tokens[this.#position];
    if (token?.kind !== 'operator' || token.text !== operator) return false;
    this.#position++;
    return true;
  }
}

function isTruthy(value: Value): boolean {
  return value !== null && value !== false;
}

/** Returns the first value for which `isLast` holds, else the last value. */
function evaluateUntil(operands: readonly Operand[], values: VariableValues, isLast: (value: Value) => boolean): Value {
  let value: Value = null;
  for (const operand of operands) {
    value = operand(values);
    if (isLast(value)) break;
  }
  return value;
}

/** Compares two values; a boolean equals its word. */
function areEqual(one: Value, other: Value): boolean {
  const isMixed = [typeof one, typeof other].sort().join() === 'boolean,string';
  return isMixed ? String(one) === String(other) : one === other;
}

/** Compiles each condition and each regular expression of a file once, within a total budget. */
export class PatternCache {
  readonly effort: EffortBudget;
  readonly #compiled = new Map<string, Pattern | null>();
  readonly #conditions = new Map<string, Condition | null>();
  /** Remaining characters of expressions that may be compiled; repetitions such as `a{1000}` count more. */
  #remainingBudget = 100_000;

  constructor(effort: EffortBudget) {
    this.effort = effort;
  }

  /** Returns the condition of this source; `parse` runs once. */
  getCondition(source: string, parse: () => Condition | null): Condition | null {
    let condition = this.#conditions.get(source);
    if (condition === undefined) {
      condition = parse();
      this.#conditions.set(source, condition);
    }
    return condition;
  }

  /** Returns the compiled expression, or null if it is invalid or the budget is spent. */
  compile(source: string): Pattern | null {
    let pattern = this.#compiled.get(source);
    if (pattern === undefined) {
      pattern = this.#compile(source);
      this.#compiled.set(source, pattern);
    }
    return pattern;
  }

  /** Compiles the first expression between slashes in a text, which may be the value of a variable; returns null if there is none. */
  compileLiteral(text: string): Pattern | null {
    const source = text.length > MAX_EXPRESSION_LENGTH ? null : parseRegexLiteral(text.replaceAll('\\/', '/'));
    return source === null ? null : this.compile(source);
  }

  #compile(source: string): Pattern | null {
    this.#remainingBudget -= source.includes('{') ? source.length * 50 : source.length;
    if (this.#remainingBudget < 0) return null;
    const regex = compileRegex(source);
    if (typeof regex === 'string') return null;
    const cost = getRegexCost(source);
    // Jobs often share both the expression and the text.
    const results = new Map<string, boolean>();
    return {
      find: (text) => {
        let isMatch = results.get(text);
        if (isMatch === undefined) {
          this.effort.spendMatching(cost, text.length);
          isMatch = regex.matcher(text).find();
          results.set(text, isMatch);
        }
        return isMatch;
      },
    };
  }
}
