import type { EffortBudget } from './effort-budget.ts';
import { CiFileError, type CiMap, CiReference, type CiValue, isArray, isMap, SizeCheck } from './values.ts';

const MAX_DEPTH = 10;

/** Replaces each `!reference [entry, key, ...]` by the value at that path, which may contain references, up to ten levels deep. */
export function resolveReferences(file: CiMap, effort: EffortBudget): CiMap {
  const resolver = new ReferenceResolver(file, effort);
  const resolvedFile = resolver.resolve(file, []) as CiMap;
  if (resolvedFile !== file) new SizeCheck().check(resolvedFile);
  return resolvedFile;
}

class ReferenceResolver {
  readonly #file: CiMap;
  readonly #effort: EffortBudget;
  readonly #resolved = new Map<string, CiValue>();

  constructor(file: CiMap, effort: EffortBudget) {
    this.#file = file;
    this.#effort = effort;
  }

  /** Returns the value without references; the same object if it contains none. `parentReferences`: the references that contain this value. */
  resolve(value: CiValue, parentReferences: readonly string[]): CiValue {
    if (value instanceof CiReference) return this.#resolveReference(value, parentReferences);
    if (isArray(value)) {
      const items = value.map((item) => this.resolve(item, parentReferences));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isMap(value)) return value;
    const entries = [...value].map(([key, entry]) => [key, this.resolve(entry, parentReferences)] as const);
    return entries.some(([key, entry]) => entry !== value.get(key)) ? new Map(entries) : value;
  }

  #resolveReference({ path }: CiReference, parentReferences: readonly string[]): CiValue {
    const key = JSON.stringify(path);
    const referenceText = `!reference ${JSON.stringify(path).replaceAll(',', ', ')}`;
    if (parentReferences.includes(key)) throw new CiFileError(`${referenceText} is part of a circular chain`);
    if (parentReferences.length >= MAX_DEPTH) throw new CiFileError(`${referenceText} is nested too deep`);
    const cachedValue = this.#resolved.get(key);
    if (cachedValue !== undefined) return cachedValue;
    this.#effort.spend(1);
    const referencedValue = this.#find(path);
    if (referencedValue === undefined) throw new CiFileError(`${referenceText} could not be found`);
    const resolvedValue = this.resolve(referencedValue, [...parentReferences, key]);
    this.#resolved.set(key, resolvedValue);
    return resolvedValue;
  }

  #find(path: readonly string[]): CiValue | undefined {
    let current: CiValue | undefined = this.#file;
    for (const key of path) {
      if (isMap(current)) current = current.get(key);
      else if (isArray(current)) current = current[Number(key)];
      else return undefined;
    }
    return current;
  }
}
