import { deepMerge } from './deep-merge.ts';
import type { EffortBudget } from './effort-budget.ts';
import { parseYaml } from './read-yaml.ts';
import { CiFileError, type CiMap, type CiValue, fileTooLarge, isArray, isMap } from './values.ts';

/** Marks a file that exceeds the maximum length of CI files. */
export const TOO_LARGE = Symbol('too large');

/** Reads a file at the commit of the CI file; returns null if it does not exist. */
export type ReadFile = (path: string) => Promise<string | null | typeof TOO_LARGE>;

const MAX_FILES = 150;
const MAX_CHARACTERS = 4 * 1024 * 1024;
const KEYS_PER_STEP = 10;

/**
 * Resolves includes: the file overrides what it includes (contract/runners.md §6). An include of a file that is being resolved
 * is skipped, so that cycles end.
 */
export async function resolveIncludes(file: CiMap, path: string, read: ReadFile, effort: EffortBudget): Promise<CiMap> {
  return new IncludeResolver(read, effort).merge(file, new Set([path]));
}

class IncludeResolver {
  readonly #read: ReadFile;
  readonly #effort: EffortBudget;
  #fileCount = 0;
  #characters = 0;

  constructor(read: ReadFile, effort: EffortBudget) {
    this.#read = read;
    this.#effort = effort;
  }

  async merge(file: CiMap, includingPaths: ReadonlySet<string>): Promise<CiMap> {
    const paths = listIncludedPaths(file.get('include'));
    if (paths === null) return file;
    const onCopied = (keys: number) => this.#effort.spend(Math.ceil(keys / KEYS_PER_STEP));
    let merged: CiMap = new Map();
    for (const path of paths) {
      if (includingPaths.has(path)) continue;
      const includedFile = await this.#loadIncludedFile(path);
      merged = deepMerge(merged, await this.merge(includedFile, new Set([...includingPaths, path])), onCopied);
    }
    const mergedFile = new Map(deepMerge(merged, file, onCopied));
    mergedFile.delete('include');
    return mergedFile;
  }

  async #loadIncludedFile(path: string): Promise<CiMap> {
    if (++this.#fileCount > MAX_FILES) throw new CiFileError(`Maximum of ${MAX_FILES} nested includes are allowed!`);
    if (!/\.ya?ml$/.test(path)) throw new CiFileError(`Included file \`${path}\` does not have YAML extension!`);
    const text = await this.#read(path);
    if (text === null) throw new CiFileError(`Local file \`${path}\` does not exist!`);
    if (text === TOO_LARGE) throw fileTooLarge();
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw fileTooLarge();
    if (text.trim() === '') throw new CiFileError(`Local file \`${path}\` is empty!`);
    const value = parseIncluded(path, text, this.#effort);
    if (!isMap(value)) throw new CiFileError(`Included file \`${path}\` does not have valid YAML syntax!`);
    return value;
  }
}

function parseIncluded(path: string, text: string, effort: EffortBudget): CiValue {
  try {
    return parseYaml(text, effort).content;
  } catch (error) {
    throw error instanceof CiFileError ? new CiFileError(`\`${path}\`: ${error.message}`) : error;
  }
}

/** Returns the included paths without leading slashes, or null if the file includes nothing. */
function listIncludedPaths(include: CiValue | undefined): string[] | null {
  if (include === undefined || include === null) return null;
  return (isArray(include) ? include : [include]).map(parseInclude);
}

function parseInclude(entry: CiValue): string {
  if (typeof entry === 'string') {
    if (/^https?:\/\//.test(entry)) throw unsupportedInclude(entry);
    return entry.replace(/^\/+/, '');
  }
  if (!isMap(entry)) throw new CiFileError('include config should be an array of hashes or strings');
  const local = entry.get('local');
  if (typeof local === 'string') {
    const otherKeys = [...entry.keys()].filter((key) => key !== 'local');
    if (otherKeys.length > 0) throw unsupportedInclude(local, ` with ${otherKeys.join(', ')}`);
    return local.replace(/^\/+/, '');
  }
  const [kind] = entry.keys();
  const value = kind === undefined ? undefined : entry.get(kind);
  throw unsupportedInclude(typeof value === 'string' ? value : (kind ?? ''));
}

function unsupportedInclude(location: string, details = ''): CiFileError {
  return new CiFileError(`Included file \`${location}\`${details} is not supported: only local files can be included`);
}
