import type { Effort } from './effort-budget.ts';
import { CiFileInvalid, type CiMap, CiReference, type CiValue, isArray, isMap, Measuring } from './values.ts';

const DEEPEST = 10;

/** The file with each `!reference [entry, key, ...]` replaced by what stands there, which may refer on, ten levels deep. */
export function resolveReferences(file: CiMap, effort: Effort): CiMap {
  const resolving = new Resolving(file, effort);
  const resolved = resolving.value(file, []) as CiMap;
  if (resolved !== file) new Measuring().check(resolved);
  return resolved;
}

class Resolving {
  readonly #file: CiMap;
  readonly #effort: Effort;
  readonly #resolved = new Map<string, CiValue>();

  constructor(file: CiMap, effort: Effort) {
    this.#file = file;
    this.#effort = effort;
  }

  /** The same value where nothing in it refers to anything. `through`: the references that have led here. */
  value(value: CiValue, through: readonly string[]): CiValue {
    if (value instanceof CiReference) return this.#reference(value, through);
    if (isArray(value)) {
      const items = value.map((each) => this.value(each, through));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isMap(value)) return value;
    const entries = [...value].map(([key, each]) => [key, this.value(each, through)] as const);
    return entries.some(([key, each]) => each !== value.get(key)) ? new Map(entries) : value;
  }

  #reference({ path }: CiReference, through: readonly string[]): CiValue {
    const key = JSON.stringify(path);
    const shown = `!reference ${JSON.stringify(path).replaceAll(',', ', ')}`;
    if (through.includes(key)) throw new CiFileInvalid(`${shown} is part of a circular chain`);
    if (through.length >= DEEPEST) throw new CiFileInvalid(`${shown} is nested too deep`);
    const known = this.#resolved.get(key);
    if (known !== undefined) return known;
    this.#effort.spend(1);
    const found = this.#find(path);
    if (found === undefined) throw new CiFileInvalid(`${shown} could not be found`);
    const resolved = this.value(found, [...through, key]);
    this.#resolved.set(key, resolved);
    return resolved;
  }

  #find(path: readonly string[]): CiValue | undefined {
    let found: CiValue | undefined = this.#file;
    for (const key of path) {
      if (isMap(found)) found = found.get(key);
      else if (isArray(found)) found = found[Number(key)];
      else return undefined;
    }
    return found;
  }
}
