import type { EffortBudget } from './effort-budget.ts';
import { CiFileError, type CiMap, CiReference, type CiValue, isArray, isMap, SizeCheck } from './values.ts';

const MAX_DEPTH = 10;

/** Replaces each `!reference [entry, key, ...]` by the value there, which may contain references, up to ten levels deep. */
export function resolveReferences(file: CiMap, effort: EffortBudget): CiMap {
  const resolving = new ReferenceResolver(file, effort);
  const resolved = resolving.value(file, []) as CiMap;
  if (resolved !== file) new SizeCheck().check(resolved);
  return resolved;
}

class ReferenceResolver {
  readonly #file: CiMap;
  readonly #effort: EffortBudget;
  readonly #resolved = new Map<string, CiValue>();

  constructor(file: CiMap, effort: EffortBudget) {
    this.#file = file;
    this.#effort = effort;
  }

  /** Returns the same value if it contains no reference. `through`: the references that led here. */
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
    if (through.includes(key)) throw new CiFileError(`${shown} is part of a circular chain`);
    if (through.length >= MAX_DEPTH) throw new CiFileError(`${shown} is nested too deep`);
    const known = this.#resolved.get(key);
    if (known !== undefined) return known;
    this.#effort.spend(1);
    const found = this.#find(path);
    if (found === undefined) throw new CiFileError(`${shown} could not be found`);
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
