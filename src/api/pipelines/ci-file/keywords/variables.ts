import { CiFileError, type CiMap, type CiValue, isMap, scalarToText } from '../yaml/values.ts';
import { configError, isPresent, isStringArray, parseBoolean, parseMap, parseOptional } from './checks.ts';
import type { FileVariable } from './options.ts';

/** Allowed keys of a variable that is written as a map, among the global variables and in a job. */
export const GLOBAL_VARIABLES = new Set(['value', 'description', 'expand', 'options']);
export const JOB_VARIABLES = new Set(['value', 'expand']);
/** Variables that cannot be maps. */
export const PLAIN_VARIABLES: ReadonlySet<string> = new Set();

/** Parses a map of scalars or of maps with these keys. Null is the empty text. */
export function parseVariables(value: CiValue, location: string, keys: ReadonlySet<string>): FileVariable[] {
  return [...parseMap(value, location)].map(([key, variable]) =>
    parseVariable(key, variable ?? EMPTY_VARIABLE, `${location}:${key}`, keys),
  );
}

const EMPTY_VARIABLE: CiMap = new Map();

function parseVariable(
  key: string,
  value: Exclude<CiValue, null>,
  location: string,
  keys: ReadonlySet<string>,
): FileVariable {
  const text = scalarToText(value);
  if (text !== null) return { key, value: text, raw: false };
  if (!isMap(value)) throw new CiFileError('variable definition must be either a string or a hash');
  const variableValue = parseOptional(value, 'value', null, (each) => {
    const scalar = scalarToText(each);
    if (scalar === null) throw configError(location, 'config value must be a scalar');
    return scalar;
  });
  const description = value.get('description');
  if (isPresent(description) && typeof description !== 'string' && !Number.isInteger(description))
    throw configError(location, 'config description must be an alphanumeric string');
  const expand = parseOptional(value, 'expand', true, (each) => parseBoolean(each, location, 'config expand'));
  const options = value.get('options') ?? [];
  if (!isStringArray(options)) throw configError(location, 'config options should be an array of strings');
  if (keys.size === 0) throw configError(location, 'config must be a string');
  const unknownKeys = [...value.keys()].filter((each) => !keys.has(each));
  if (unknownKeys.length > 0) throw configError(location, `config uses invalid data keys: ${unknownKeys.join(', ')}`);
  if (options.length > 0 && (variableValue === null || !options.includes(variableValue)))
    throw configError(location, 'config value must be present in options');
  return { key, value: variableValue ?? '', raw: !expand };
}
