/** A value of a CI file before validation. Collections may be shared and must not be mutated. */
export type CiValue = null | boolean | number | string | CiReference | readonly CiValue[] | CiMap;

/** A map of a CI file, in file order. */
export type CiMap = ReadonlyMap<string, CiValue>;

/** `!reference [job, key, ...]`: replaced by the value at that path after includes and `extends` are resolved. */
export class CiReference {
  /** The value after the tag; an array of texts if it is valid. */
  readonly target: CiValue;

  constructor(target: CiValue) {
    this.target = target;
  }
}

/** The first error of a CI file, in the words of the contract (contract/runners.md §6). */
export class CiFileError extends Error {}

/** Returns the error for a file that exceeds a limit. */
export function fileTooLarge(): CiFileError {
  return new CiFileError('The parsed YAML is too big');
}

/** Returns whether the value is a map. */
export function isMap(value: CiValue | undefined): value is CiMap {
  return value instanceof Map;
}

/** Returns whether the value is an array. */
export function isArray(value: CiValue | undefined): value is readonly CiValue[] {
  return Array.isArray(value);
}

/** Returns a scalar as a string, or null for other values. */
export function scalarToText(value: CiValue | undefined): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Returns a value in the notation of Ruby, as error texts show it inside a list: `"text"`, `nil`, `[1, "text"]`, `{:key=>1}`. */
export function toRubyNotation(value: CiValue): string {
  if (isArray(value)) return `[${value.map(toRubyNotation).join(', ')}]`;
  if (isMap(value)) return `{${[...value].map(([key, entry]) => `:${key}=>${toRubyNotation(entry)}`).join(', ')}}`;
  if (value instanceof CiReference) return `!reference ${toRubyNotation(value.target)}`;
  if (value === null) return 'nil';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Returns a value as error texts show it; texts are bare and null is empty. */
export function toErrorText(value: CiValue): string {
  return value === null ? '' : (scalarToText(value) ?? toRubyNotation(value));
}

/** Converts a value to JSON data. A key `__proto__` is an ordinary key. */
export function toJsonValue(value: CiValue): unknown {
  if (isArray(value)) return value.map(toJsonValue);
  if (!isMap(value)) return value;
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of value) object[key] = toJsonValue(entry);
  return object;
}

/** Number, characters and nesting depth of a value and the values in it; a value that YAML aliases share counts each time. */
interface Measure {
  readonly size: number;
  readonly characters: number;
  readonly depth: number;
}

/** Limits of a `Measure`. */
const MAX_VALUES = 250_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_DEPTH = 100;

/** Measures values in time linear in their stored size, not their expanded size. Throws if they are too large. */
export class SizeCheck {
  readonly #measuresByValue = new Map<object, Measure>();

  check(value: CiValue): void {
    this.#measure(value, 0);
  }

  #measure(value: CiValue, parentDepth: number): Measure {
    const children = isArray(value) ? value : isMap(value) ? value.values() : null;
    if (children === null) return { size: 1, characters: typeof value === 'string' ? value.length : 0, depth: 1 };
    const cachedMeasure = this.#measuresByValue.get(value as object);
    if (cachedMeasure !== undefined) return cachedMeasure;
    if (parentDepth > MAX_DEPTH) throw fileTooLarge();
    let [size, characters, depth] = [1, 0, 0];
    if (isMap(value)) for (const key of value.keys()) characters += key.length;
    for (const child of children) {
      const measure = this.#measure(child, parentDepth + 1);
      size += measure.size;
      characters += measure.characters;
      depth = Math.max(depth, measure.depth);
    }
    if (size > MAX_VALUES || characters > MAX_CHARACTERS || depth >= MAX_DEPTH) throw fileTooLarge();
    const newMeasure = { size, characters, depth: depth + 1 };
    this.#measuresByValue.set(value as object, newMeasure);
    return newMeasure;
  }
}
