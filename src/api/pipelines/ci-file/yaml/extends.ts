import type { EffortBudget } from './effort-budget.ts';
import { CiFileError, type CiMap, type CiValue, isArray, isMap, toErrorText, toRubyNotation } from './values.ts';

/** Limit for the nesting of `extends` above an entry, so that a chain may have eleven bases. */
const MAX_DEPTH = 10;

/** Number of merged keys that cost one step. */
const KEYS_PER_STEP = 10;

/** Resolves each `extends`: an entry overrides its bases, and later bases override earlier ones (contract/runners.md §6). */
export function resolveExtends(file: CiMap, effort: EffortBudget): CiMap {
  const resolver = new ExtendsResolver(file, effort);
  return new Map([...file].map(([name, value]) => [name, isMap(value) ? resolver.resolve(name) : value]));
}

interface ResolvedEntry {
  readonly entry: CiMap;
  /** Number of levels of bases. */
  readonly levels: number;
}

class ExtendsResolver {
  readonly #file: CiMap;
  readonly #effort: EffortBudget;
  readonly #resolved = new Map<string, ResolvedEntry | 'resolving'>();

  constructor(file: CiMap, effort: EffortBudget) {
    this.#file = file;
    this.#effort = effort;
  }

  resolve(name: string): CiMap {
    return this.#resolve(name, 0).entry;
  }

  #resolve(name: string, depth: number): ResolvedEntry {
    const entry = this.#file.get(name) as CiMap;
    const bases = listBases(entry.get('extends'));
    if (bases.length === 0) return { entry, levels: 0 };
    this.#checkBases(name, bases);
    if (depth > MAX_DEPTH) throw new CiFileError(`${name}: nesting too deep in \`extends\``);
    const cachedEntry = this.#resolved.get(name);
    if (cachedEntry === 'resolving') throw new CiFileError(`${name}: circular dependency detected in \`extends\``);
    if (cachedEntry !== undefined && depth + cachedEntry.levels <= MAX_DEPTH + 1) return cachedEntry;
    this.#resolved.set(name, 'resolving');
    const resolvedEntry = this.#merge(entry, bases, depth);
    this.#resolved.set(name, resolvedEntry);
    return resolvedEntry;
  }

  #checkBases(name: string, bases: readonly string[]): void {
    const unknownBases = bases.filter((base) => !this.#file.has(base));
    if (unknownBases.length > 0)
      throw new CiFileError(`${name}: unknown keys in \`extends\` (${unknownBases.join(', ')})`);
    const invalidBases = bases.filter((base) => !isMap(this.#file.get(base)));
    if (invalidBases.length > 0)
      throw new CiFileError(`${name}: invalid base hashes in \`extends\` (${invalidBases.join(', ')})`);
  }

  #merge(entry: CiMap, bases: readonly string[], depth: number): ResolvedEntry {
    const onCopied = (keys: number) => this.#effort.spend(Math.ceil(keys / KEYS_PER_STEP));
    let merged: CiMap = new Map();
    let levels = 0;
    for (const base of bases) {
      const resolvedBase = this.#resolve(base, depth + 1);
      levels = Math.max(levels, resolvedBase.levels + 1);
      merged = deepMerge(merged, resolvedBase.entry, onCopied);
    }
    const mergedEntry = new Map(deepMerge(merged, entry, onCopied));
    // Names of another type stay for the check of the job, which rejects them.
    if ([entry.get('extends')].flat().every((name) => typeof name === 'string')) mergedEntry.delete('extends');
    return { entry: mergedEntry, levels };
  }
}

/** Returns the names of the bases. A value of another type becomes a name that no entry has. */
function listBases(value: CiValue | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isMap(value)) return [...value].map((entry) => toRubyNotation(entry));
  return (isArray(value) ? value : [value]).map(toErrorText);
}

/** Merges maps recursively; for other values the second wins (contract/runners.md §6, `extends`). */
export function deepMerge(first: CiMap, second: CiMap, onCopied: (keys: number) => void): CiMap {
  onCopied(first.size + second.size);
  const merged = new Map<string, CiValue>(first);
  for (const [key, value] of second) {
    const existingValue = merged.get(key);
    merged.set(key, isMap(existingValue) && isMap(value) ? deepMerge(existingValue, value, onCopied) : value);
  }
  return merged;
}
