import { compileRegex, getRegexCost } from '#text/safe-regex.ts';
import type { EffortBudget } from './effort-budget.ts';
import type { YamlFile } from './read-yaml.ts';
import { CiFileError, type CiMap, type CiValue, isArray, isMap, scalarToText, toErrorText } from './values.ts';

// Replaces `$[[ inputs.N ]]` in a file by the inputs that its header declares (contract/pipelines-composition.md §3).

const INPUT_KEYS = ['default', 'description', 'options', 'regex', 'type', 'rules'];
const TYPES = ['array', 'boolean', 'number', 'string'];
const MAX_OPTIONS = 50;
const MAX_FUNCTIONS = 3;
const MAX_BLOCKS = 10_000;
const MAX_EXPRESSION_BYTES = 1024;
/** Only the first errors are shown. */
const MAX_ERRORS = 3;

/** Replaces the inputs in the content of a file by their defaults: no keyword passes values. Without a header, content is unchanged. */
export function applyInputs({ header, content }: YamlFile, effort: EffortBudget): CiValue {
  if (header === null) return content;
  const inputs = resolveInputs(parseHeader(header), effort);
  return new Interpolation(inputs, effort).replace(content);
}

function headerError(location: string, problem: string): CiFileError {
  return new CiFileError(`${location} ${problem}`.toLowerCase());
}

function checkKeys(map: CiMap, location: string, keys: readonly string[]): void {
  const unknownKeys = [...map.keys()].filter((key) => !keys.includes(key));
  if (unknownKeys.length > 0) throw headerError(location, `config contains unknown keys: ${unknownKeys.join(', ')}`);
}

function parseMapOrEmpty(value: CiValue | undefined, location: string): CiMap {
  if (value === undefined || value === null) return new Map();
  if (!isMap(value)) throw headerError(location, 'config should be a hash');
  return value;
}

function parseHeader(header: CiMap): ReadonlyMap<string, CiMap> {
  checkKeys(header, 'header', ['spec']);
  const spec = parseMapOrEmpty(header.get('spec'), 'header:spec');
  checkKeys(spec, 'header:spec', ['inputs', 'include', 'component']);
  if (spec.get('include') != null) throw headerError('header:spec', 'include is not supported yet');
  const inputs = parseMapOrEmpty(spec.get('inputs'), 'header:spec:inputs');
  return new Map([...inputs].map(([name, input]) => [name, parseInput(name, input)]));
}

function parseInput(name: string, value: CiValue): CiMap {
  const location = `header:spec:inputs:${name}`;
  if (value !== null && !isMap(value)) throw headerError(location, 'config should be a hash');
  const input = parseMapOrEmpty(value, location);
  const [regex, type, options] = ['regex', 'type', 'options'].map((key) => input.get(key) ?? null);
  if (regex !== null && typeof regex !== 'string') throw headerError(location, 'input regex should be a string');
  if (type !== null && !TYPES.includes(toErrorText(type!)))
    throw headerError(location, `input type unknown value: ${toErrorText(type!)}`);
  if (options !== null && !isArray(options)) throw headerError(location, 'input options should be an array');
  if (isArray(options) && options.length > MAX_OPTIONS)
    throw headerError(location, `config cannot define more than ${MAX_OPTIONS} options`);
  checkKeys(input, location, INPUT_KEYS);
  if (input.has('rules')) throw headerError(location, 'config rules are not supported yet');
  return input;
}

/** Returns the values of all inputs, or throws the first errors. */
function resolveInputs(inputs: ReadonlyMap<string, CiMap>, effort: EffortBudget): ReadonlyMap<string, CiValue> {
  const errors: string[] = [];
  const values = new Map<string, CiValue>();
  for (const [name, input] of inputs) {
    const type = toErrorText(input.get('type') ?? 'string');
    const value = coerceValue(input.get('default') ?? null, type);
    const problem = input.has('default')
      ? findProblem(input, type, value, effort)
      : 'required value has not been provided';
    if (problem !== null) errors.push(`\`${name}\` input: ${problem}`);
    values.set(name, value);
  }
  if (errors.length > 0) throw new CiFileError(errors.slice(0, MAX_ERRORS).join(', '));
  return values;
}

/** Converts a default to the type of its input: a scalar to a string, a string to another type by JSON. */
function coerceValue(value: CiValue, type: string): CiValue {
  if (type === 'string') return toErrorText(value);
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) && !parsed.every((item) => typeof item !== 'object') ? value : (parsed as CiValue);
  } catch {
    return value;
  }
}

function findProblem(input: CiMap, type: string, value: CiValue, effort: EffortBudget): string | null {
  const options = input.get('options') ?? null;
  if (type === 'array' && !isArray(value)) return 'default value is not an array';
  if (type === 'boolean' && typeof value !== 'boolean') return 'default value is not a boolean';
  if (type === 'number' && typeof value !== 'number') return 'default value is not a number';
  if (isArray(options)) {
    if (type !== 'string' && type !== 'number') return 'Options can only be used with string and number inputs';
    if (!options.some((option) => scalarToText(option) === scalarToText(value))) {
      const list = type === 'string' ? 'the list of allowed options' : 'the list of the allowed options';
      return `\`${toErrorText(value)}\` cannot be used because it is not in ${list}`;
    }
  }
  const regex = input.get('regex') ?? null;
  if (regex === null) return null;
  if (type !== 'string') return 'RegEx validation can only be used with string inputs';
  const compiledRegex = compileRegex(regex as string);
  if (typeof compiledRegex === 'string') return 'invalid regular expression';
  effort.spendMatching(getRegexCost(regex as string), (value as string).length);
  return compiledRegex.matcher(value as string).find() ? null : 'default value does not match required RegEx pattern';
}

/** An interpolation block. Its content holds no other block, so that one scan of a text finds all blocks. */
const BLOCK = /\$\[\[[^$\]]+\]\]/g;

class Interpolation {
  readonly #inputs: ReadonlyMap<string, CiValue>;
  readonly #effort: EffortBudget;
  readonly #valuesByBlock = new Map<string, CiValue>();

  constructor(inputs: ReadonlyMap<string, CiValue>, effort: EffortBudget) {
    this.#inputs = inputs;
    this.#effort = effort;
  }

  /** Replaces the blocks in all texts and keys of a value. */
  replace(value: CiValue): CiValue {
    if (typeof value === 'string') return this.#replaceBlocks(value);
    if (isArray(value)) return value.flatMap((item) => this.#replaceItem(item));
    if (!isMap(value)) return value;
    return new Map([...value].map(([key, entry]) => [toErrorText(this.#replaceBlocks(key)), this.replace(entry)]));
  }

  /** An item that is only a block with an array becomes the items of that array. */
  #replaceItem(item: CiValue): CiValue[] {
    const value = this.replace(item);
    if (typeof item !== 'string' || !isArray(value)) return [value];
    this.#effort.spend(value.length);
    return [...value];
  }

  /** A text that is only one block becomes the value of that block. */
  #replaceBlocks(text: string): CiValue {
    if (!text.includes('$[[')) return text;
    const [block] = text.match(BLOCK) ?? [];
    if (block === text) return this.#getValue(block);
    return text.replaceAll(BLOCK, (each) => {
      const value = toErrorText(this.#getValue(each));
      this.#effort.spendCharacters(value.length);
      return value;
    });
  }

  #getValue(block: string): CiValue {
    let value = this.#valuesByBlock.get(block);
    if (value === undefined) {
      value = this.#evaluate(block);
      this.#valuesByBlock.set(block, value);
      if (this.#valuesByBlock.size > MAX_BLOCKS) throw new CiFileError('too many interpolation blocks');
    }
    return value;
  }

  #evaluate(block: string): CiValue {
    this.#effort.spend(1);
    const [expression = '', ...functions] = block
      .slice('$[['.length, -']]'.length)
      .split('|')
      .map((part) => part.trim());
    const [context = '', name, part] = expression.split('.', 3);
    // Instances of a matrix replace these later.
    if (context === 'matrix') return block;
    if (name === undefined)
      throw new CiFileError('invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]');
    if (Buffer.byteLength(expression) > MAX_EXPRESSION_BYTES)
      throw new CiFileError('maximum interpolation expression size exceeded');
    const value = context === 'inputs' ? this.#inputs.get(name) : undefined;
    if (value === undefined || part !== undefined) {
      const unknownKey = !['inputs', 'component'].includes(context) ? context : value === undefined ? name : part;
      throw new CiFileError(`unknown interpolation provided: \`${unknownKey}\` in \`${expression}\``);
    }
    if (functions.length > MAX_FUNCTIONS) throw new CiFileError('too many functions in interpolation block');
    return functions.reduce<CiValue>((input, call) => {
      if (typeof input === 'string') this.#effort.spendCharacters(input.length);
      return applyFunction(input, call);
    }, value);
  }
}

function applyFunction(value: CiValue, call: string): CiValue {
  const truncate = /^truncate\(\s*(\d+)\s*,\s*(\d+)\s*\)?$/.exec(call);
  const name = truncate === null ? call : 'truncate';
  if (!['truncate', 'posix_escape', 'expand_vars'].includes(name) || (name === 'truncate' && truncate === null)) {
    throw new CiFileError(
      `no function matching \`${call}\`: check that the function name, arguments, and types are correct`,
    );
  }
  const createError = (problem: string) => new CiFileError(`error in \`${name}\` function: ${problem}`);
  if (typeof value !== 'string') throw createError(`invalid input type: ${name} can only be used with string inputs`);
  if (name === 'expand_vars') throw createError('it is not supported yet');
  if (truncate !== null)
    return [...value].slice(Number(truncate[1]), Number(truncate[1]) + Number(truncate[2])).join('');
  return escapeForShell(value);
}

/** Escapes a text so that a POSIX shell reads it as one word. */
function escapeForShell(text: string): string {
  if (text === '') return "''";
  return text.replaceAll(/[^\w\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}
