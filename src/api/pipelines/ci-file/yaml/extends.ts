import { deepMerge } from './deep-merge.ts';
import type { Effort } from './effort-budget.ts';
import { CiFileInvalid, type CiMap, type CiValue, isArray, isMap } from './values.ts';

const DEEPEST = 10;

/** Keys that are merged while one step of effort is spent. */
const KEYS_A_STEP = 10;

/** The file with each `extends` resolved: what an entry says counts before what it extends, of several the last (§6). */
export function resolveExtends(file: CiMap, effort: Effort): CiMap {
  const extending = new Extending(file, effort);
  return new Map([...file].map(([name, value]) => [name, isMap(value) ? extending.resolve(name) : value]));
}

interface Resolved {
  readonly entry: CiMap;
  /** How many levels hang above it. */
  readonly levels: number;
}

class Extending {
  readonly #file: CiMap;
  readonly #effort: Effort;
  readonly #resolved = new Map<string, Resolved | 'begun'>();

  constructor(file: CiMap, effort: Effort) {
    this.#file = file;
    this.#effort = effort;
  }

  resolve(name: string): CiMap {
    return this.#resolve(name, 0).entry;
  }

  #resolve(name: string, above: number): Resolved {
    const known = this.#resolved.get(name);
    if (known === 'begun') throw new CiFileInvalid(`${name}: circular dependency detected in \`extends\``);
    if (above > DEEPEST) throw new CiFileInvalid(`${name}: nesting too deep in \`extends\``);
    if (known !== undefined) return known;
    this.#resolved.set(name, 'begun');
    const found = this.#merge(name, this.#file.get(name) as CiMap, above);
    if (found.levels > DEEPEST) throw new CiFileInvalid(`${name}: nesting too deep in \`extends\``);
    this.#resolved.set(name, found);
    return found;
  }

  #merge(name: string, entry: CiMap, above: number): Resolved {
    const bases = basesOf(entry.get('extends'));
    if (bases === null) return { entry, levels: 0 };
    const unknown = bases.filter((base) => !this.#file.has(base));
    if (unknown.length > 0) throw new CiFileInvalid(`${name}: unknown keys in \`extends\` (${unknown.join(', ')})`);
    const invalid = bases.filter((base) => !isMap(this.#file.get(base)));
    if (invalid.length > 0)
      throw new CiFileInvalid(`${name}: invalid base hashes in \`extends\` (${invalid.join(', ')})`);
    const copied = (keys: number) => this.#effort.spend(Math.ceil(keys / KEYS_A_STEP));
    let merged: CiMap = new Map();
    let levels = 0;
    for (const base of bases) {
      const resolved = this.#resolve(base, above + 1);
      levels = Math.max(levels, resolved.levels + 1);
      merged = deepMerge(merged, resolved.entry, copied);
    }
    const whole = new Map(deepMerge(merged, entry, copied));
    whole.delete('extends');
    return { entry: whole, levels };
  }
}

/** Null: it extends nothing, or says so in a form that the structure check refuses. */
function basesOf(value: CiValue | undefined): readonly string[] | null {
  if (typeof value === 'string') return [value];
  if (!isArray(value) || !value.every((each) => typeof each === 'string')) return null;
  return value.length > 0 ? (value as string[]) : null;
}
