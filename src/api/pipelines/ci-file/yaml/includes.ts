import type { EffortBudget } from './effort-budget.ts';
import { deepMerge } from './extends.ts';
import { applyInputs } from './inputs.ts';
import { parseYaml, type YamlNotes } from './read-yaml.ts';
import {
  CiFileError,
  type CiMap,
  type CiValue,
  fileTooLarge,
  isArray,
  isMap,
  toErrorText,
  toJsonValue,
} from './values.ts';

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
export async function resolveIncludes(
  file: CiMap,
  path: string,
  read: ReadFile,
  effort: EffortBudget,
  notes: YamlNotes,
): Promise<CiMap> {
  return new IncludeResolver(read, effort, notes).merge(file, new Set([path]));
}

class IncludeResolver {
  readonly #read: ReadFile;
  readonly #effort: EffortBudget;
  readonly #notes: YamlNotes;
  #fileCount = 0;
  #characters = 0;

  constructor(read: ReadFile, effort: EffortBudget, notes: YamlNotes) {
    this.#read = read;
    this.#effort = effort;
    this.#notes = notes;
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
    if (!/\.ya?ml$/i.test(path)) throw new CiFileError(`Included file \`${path}\` does not have YAML extension!`);
    const text = await this.#read(path);
    if (text === null) throw new CiFileError(`Local file \`${path}\` does not exist!`);
    if (text === TOO_LARGE) throw fileTooLarge();
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw fileTooLarge();
    if (text.trim() === '') throw new CiFileError(`Local file \`${path}\` is empty!`);
    const value = parseIncluded(path, text, this.#effort, this.#notes);
    if (!isMap(value)) throw new CiFileError(`Included file \`${path}\` does not have valid YAML syntax!`);
    return value;
  }
}

function parseIncluded(path: string, text: string, effort: EffortBudget, notes: YamlNotes): CiValue {
  try {
    return applyInputs(parseYaml(text, effort, notes), effort);
  } catch (error) {
    throw error instanceof CiFileError ? new CiFileError(`\`${path}\`: ${error.message}`) : error;
  }
}

/** Returns the included paths without leading slashes, or null if the file includes nothing. */
function listIncludedPaths(include: CiValue | undefined): string[] | null {
  if (include === undefined || include === null) return null;
  return (isArray(include) ? include : [include]).filter((entry) => entry !== null).map(parseInclude);
}

const KINDS = ['local', 'remote', 'project', 'template', 'artifact', 'component'];
const KIND_LIST = KINDS.map((kind) => `\`${kind}\``).join(', ');

function parseInclude(entry: CiValue): string {
  if (typeof entry === 'string') {
    if (/^(?:https?|ssh|git):\/\//.test(entry)) throw unsupportedInclude(entry, 'remote');
    return parseLocalPath(entry);
  }
  if (!isMap(entry)) throw new CiFileError('Each include must be a hash or a string');
  const kinds = [...entry.keys()].filter((key) => KINDS.includes(key));
  const [kind] = kinds;
  if (kind === undefined)
    throw new CiFileError(
      `\`${JSON.stringify(toJsonValue(entry))}\` does not have a valid subkey for include. Valid subkeys are: ${KIND_LIST}`,
    );
  if (kinds.length > 1) throw new CiFileError(`Each include must use only one of: ${KIND_LIST}`);
  const location = toErrorText(entry.get(kind) ?? null);
  if (kind !== 'local') throw unsupportedInclude(location, kind);
  for (const key of ['rules', 'inputs']) if (entry.has(key)) throw unsupportedInclude(location, key);
  return parseLocalPath(location);
}

function parseLocalPath(path: string): string {
  if (path.includes('*')) throw unsupportedInclude(path, 'local with wildcards');
  if (/[$%]/.test(path)) throw unsupportedInclude(path, 'local with variables');
  return path.replace(/^\/+/, '');
}

function unsupportedInclude(location: string, kind: string): CiFileError {
  return new CiFileError(`Included file \`${location}\` is not supported yet: include:${kind}`);
}
