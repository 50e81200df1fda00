import { deepMerge } from './deep-merge.ts';
import type { Effort } from './effort-budget.ts';
import { readYaml } from './read-yaml.ts';
import { CiFileInvalid, type CiMap, type CiValue, isArray, isMap, tooBig } from './values.ts';

/** In place of a text that is longer than any CI file. */
export const TOO_LARGE = Symbol('too large');

/** Reads a file at the commit of the CI file; null when there is none. */
export type ReadFile = (path: string) => Promise<string | null | typeof TOO_LARGE>;

const MOST_FILES = 150;
const MOST_CHARACTERS = 4 * 1024 * 1024;
const KEYS_A_STEP = 10;

/**
 * The file with what it includes: that comes first, the file itself counts before it (contract/runners.md §6). Each file is
 * taken once on the way down, so that a ring ends.
 */
export async function withIncludes(file: CiMap, path: string, read: ReadFile, effort: Effort): Promise<CiMap> {
  return new Including(read, effort).merge(file, new Set([path]));
}

class Including {
  readonly #read: ReadFile;
  readonly #effort: Effort;
  #files = 0;
  #characters = 0;

  constructor(read: ReadFile, effort: Effort) {
    this.#read = read;
    this.#effort = effort;
  }

  async merge(file: CiMap, above: ReadonlySet<string>): Promise<CiMap> {
    const paths = pathsOf(file.get('include'));
    if (paths === null) return file;
    const copied = (keys: number) => this.#effort.spend(Math.ceil(keys / KEYS_A_STEP));
    let merged: CiMap = new Map();
    for (const path of paths) {
      if (above.has(path)) continue;
      const included = await this.#included(path);
      merged = deepMerge(merged, await this.merge(included, new Set([...above, path])), copied);
    }
    const whole = new Map(deepMerge(merged, file, copied));
    whole.delete('include');
    return whole;
  }

  async #included(path: string): Promise<CiMap> {
    if (++this.#files > MOST_FILES) throw new CiFileInvalid(`Maximum of ${MOST_FILES} nested includes are allowed!`);
    if (!/\.ya?ml$/.test(path)) throw new CiFileInvalid(`Included file \`${path}\` does not have YAML extension!`);
    const text = await this.#read(path);
    if (text === null) throw new CiFileInvalid(`Local file \`${path}\` does not exist!`);
    if (text === TOO_LARGE) throw tooBig();
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) throw tooBig();
    if (text.trim() === '') throw new CiFileInvalid(`Local file \`${path}\` is empty!`);
    const value = await readYaml(text, this.#effort).catch((error: unknown) => {
      throw error instanceof CiFileInvalid ? new CiFileInvalid(`\`${path}\`: ${error.message}`) : error;
    });
    if (!isMap(value)) throw new CiFileInvalid(`Included file \`${path}\` does not have valid YAML syntax!`);
    return value;
  }
}

/** Null: the file includes nothing. A leading slash means the same as none. */
function pathsOf(include: CiValue | undefined): string[] | null {
  if (include === undefined || include === null) return null;
  return (isArray(include) ? include : [include]).map(pathOf);
}

function pathOf(entry: CiValue): string {
  if (typeof entry === 'string') {
    if (/^https?:\/\//.test(entry)) throw unsupported(entry);
    return entry.replace(/^\/+/, '');
  }
  if (!isMap(entry)) throw new CiFileInvalid('include config should be an array of hashes or strings');
  const local = entry.get('local');
  if (typeof local === 'string') {
    const others = [...entry.keys()].filter((key) => key !== 'local');
    if (others.length > 0) throw unsupported(local, ` with ${others.join(', ')}`);
    return local.replace(/^\/+/, '');
  }
  const [kind] = entry.keys();
  const value = kind === undefined ? undefined : entry.get(kind);
  throw unsupported(typeof value === 'string' ? value : (kind ?? ''));
}

function unsupported(what: string, how = ''): CiFileInvalid {
  return new CiFileInvalid(`Included file \`${what}\`${how} is not supported: only local files can be included`);
}
