/** What a CI file says, before anybody has asked whether it makes sense. Collections may be shared: nobody changes one. */
export type CiValue = null | boolean | number | string | CiReference | readonly CiValue[] | CiMap;

export type CiMap = ReadonlyMap<string, CiValue>;

/** `!reference [job, key, ...]`: what stands there, once includes and `extends` have been done. */
export class CiReference {
  readonly path: readonly string[];

  constructor(path: readonly string[]) {
    this.path = path;
  }
}

/** The first error of a CI file, in the words that its author reads (contract/runners.md §6). */
export class CiFileInvalid extends Error {}

/** Of whatever is larger than a file for people can be. */
export function tooBig(): CiFileInvalid {
  return new CiFileInvalid('The parsed YAML is too big');
}

export function isMap(value: CiValue | undefined): value is CiMap {
  return value instanceof Map;
}

export function isArray(value: CiValue | undefined): value is readonly CiValue[] {
  return Array.isArray(value);
}

/** A scalar as text; null for anything else. */
export function textOf(value: CiValue | undefined): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** What the value is as JSON. A key `__proto__` is a key like others. */
export function plain(value: CiValue): unknown {
  if (isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, each] of value) object[key] = plain(each);
  return object;
}

/** How many values hang below this one, however often one is shared, and how deep they go. */
interface Measure {
  readonly size: number;
  readonly depth: number;
}

/** What a file may come to when everything that is shared is counted as often as it is used. */
const MOST_VALUES = 250_000;
const MOST_DEPTH = 100;

/** Measures values in time linear in what they hold, not in what they expand to. Throws for what is too large to work on. */
export class Measuring {
  readonly #known = new Map<object, Measure>();

  check(value: CiValue): void {
    this.#of(value, 0);
  }

  #of(value: CiValue, above: number): Measure {
    const inside = isArray(value) ? value : isMap(value) ? value.values() : null;
    if (inside === null) return { size: 1, depth: 1 };
    const known = this.#known.get(value as object);
    if (known !== undefined) return known;
    if (above > MOST_DEPTH) throw tooBig();
    let [size, depth] = [1, 0];
    for (const each of inside) {
      const measure = this.#of(each, above + 1);
      size += measure.size;
      depth = Math.max(depth, measure.depth);
    }
    if (size > MOST_VALUES || depth >= MOST_DEPTH) throw tooBig();
    const found = { size, depth: depth + 1 };
    this.#known.set(value as object, found);
    return found;
  }
}
