import type { EffortBudget } from './effort-budget.ts';
import {
  CiFileError,
  type CiMap,
  CiReference,
  type CiValue,
  fileTooLarge,
  inspectValue,
  isArray,
  isMap,
  SizeCheck,
} from './values.ts';

/** Limit for references within references, because each level is a call. */
const MAX_DEPTH = 500;

/** Replaces each `!reference [entry, key, ...]` by the value at that path, which may contain references. */
export function resolveReferences(file: CiMap, effort: EffortBudget): CiMap {
  const resolver = new ReferenceResolver(file, effort);
  const resolvedFile = resolver.resolve(file) as CiMap;
  if (resolvedFile !== file) new SizeCheck().check(resolvedFile);
  return resolvedFile;
}

class ReferenceResolver {
  readonly #file: CiMap;
  readonly #effort: EffortBudget;
  readonly #resolved = new Map<string, CiValue>();
  /** The references that contain the value that is being resolved. */
  readonly #openReferences = new Set<string>();

  constructor(file: CiMap, effort: EffortBudget) {
    this.#file = file;
    this.#effort = effort;
  }

  /** Returns the value without references; the same object if it contains none. */
  resolve(value: CiValue): CiValue {
    if (value instanceof CiReference) return this.#resolveReference(value);
    if (isArray(value)) {
      const items = value.map((item) => this.resolve(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isMap(value)) return value;
    const entries = [...value].map(([key, entry]) => [key, this.resolve(entry)] as const);
    return entries.some(([key, entry]) => entry !== value.get(key)) ? new Map(entries) : value;
  }

  #resolveReference({ target }: CiReference): CiValue {
    const createError = (problem: string) => new CiFileError(`!reference ${inspectValue(target)} ${problem}`);
    if (!isPath(target)) throw createError('is not valid');
    const key = JSON.stringify(target);
    if (this.#openReferences.has(key)) throw createError('is part of a circular chain');
    if (this.#openReferences.size >= MAX_DEPTH) throw fileTooLarge();
    const cachedValue = this.#resolved.get(key);
    if (cachedValue !== undefined) return cachedValue;
    this.#effort.spend(1);
    this.#openReferences.add(key);
    const resolvedValue = this.resolve(this.#find(target));
    if (resolvedValue === null || resolvedValue === false) throw createError('could not be found');
    this.#openReferences.delete(key);
    this.#resolved.set(key, resolvedValue);
    return resolvedValue;
  }

  /** Returns null if there is no value at the path. */
  #find(path: readonly string[]): CiValue {
    let current: CiValue = this.#file;
    for (const key of path) current = (isMap(current) ? current.get(key) : null) ?? null;
    return current;
  }
}

function isPath(target: CiValue): target is readonly string[] {
  return isArray(target) && target.length > 0 && target.every((key) => typeof key === 'string');
}
