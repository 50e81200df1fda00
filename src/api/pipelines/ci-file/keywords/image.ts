import { type CiMap, type CiValue, isMap, toJsonValue } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  configError,
  isBlank,
  isPresent,
  parseCommands,
  parseMap,
  parseOptional,
  parseRequiredString,
  parseString,
  parseStrings,
  parseWords,
} from './checks.ts';
import type { JobImage, JobService } from './options.ts';
import { PLAIN_VARIABLES, parseVariables } from './variables.ts';

const IMAGE_KEYS = new Set(['name', 'entrypoint', 'ports', 'docker', 'kubernetes', 'pull_policy']);
const SERVICE_KEYS = new Set([...IMAGE_KEYS, 'alias', 'command', 'variables']);
const PULL_POLICIES: ReadonlySet<string> = new Set(['always', 'never', 'if-not-present']);

/** The options of each executor, with the maximum length of their values. */
const EXECUTOR_OPTIONS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  docker: { platform: 64, user: 255 },
  kubernetes: { user: 255 },
};

/** Parses `image`: a name, or a map. */
export function parseImage(value: CiValue, location: string): JobImage {
  return parseImageMap(toImageMap(value, location), location, IMAGE_KEYS);
}

/** Parses `services`, whose arrays may be nested. */
export function parseServices(value: CiValue, location: string): JobService[] {
  if (!Array.isArray(value)) throw configError(location, 'config should be an array');
  return value
    .flat(Number.POSITIVE_INFINITY)
    .filter(isPresent)
    .map((service) => parseService(service, `${location}:service`));
}

function toImageMap(value: CiValue, location: string): CiMap {
  if (typeof value === 'string') return new Map([['name', value]]);
  return parseMap(value, location, 'config should be a hash or a string');
}

function parseImageMap(map: CiMap, location: string, keys: ReadonlySet<string>): JobImage {
  // Ports are for other kinds of jobs.
  if (map.has('ports')) throw configError(location, 'config contains disallowed keys: ports');
  const name = parseRequiredString(map.get('name'), location, 'name');
  const entrypoint = parseOptional(map, 'entrypoint', null, (each) => parseStrings(each, location, 'entrypoint'));
  const executorOptions = parseExecutorOptions(map, location);
  checkKnownKeys(map, location, keys);
  return {
    name,
    entrypoint,
    ports: [],
    executor_opts: executorOptions,
    pull_policy: parseOptional(map, 'pull_policy', null, (each) => parsePullPolicy(each, `${location}:pull_policy`)),
  };
}

function parsePullPolicy(value: CiValue, location: string): string[] {
  if (isBlank(value) && Array.isArray(value)) checkNotBlank(value, location);
  return parseWords(value, location, 'config', PULL_POLICIES);
}

function parseExecutorOptions(map: CiMap, location: string): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [executor, limits] of Object.entries(EXECUTOR_OPTIONS)) {
    const value = map.get(executor);
    if (!isPresent(value)) continue;
    checkExecutorOptions(value, executor, limits, location);
    options[executor] = toJsonValue(value);
  }
  return options;
}

/** Checks the options of an executor. The errors have the texts of a JSON schema validator, as in GitLab. */
function checkExecutorOptions(
  value: CiValue,
  executor: string,
  limits: Readonly<Record<string, number>>,
  location: string,
): void {
  const createError = (subject: string, at: string, problem: string) =>
    configError(location, `executor opts ${subject} at \`/${at}\` ${problem}`);
  if (!isMap(value)) throw createError('value', executor, 'is not an object');
  for (const [key, option] of value) {
    const at = `${executor}/${key}`;
    const limit = limits[key];
    if (limit === undefined) throw createError('object property', at, 'is a disallowed additional property');
    if (executor === 'kubernetes' && Number.isInteger(option)) continue;
    if (typeof option !== 'string') throw createError('value', at, 'is not a string');
    if (option === '') throw createError('string length', at, 'is less than: 1');
    if (option.length > limit) throw createError('string length', at, `is greater than: ${limit}`);
  }
}

function parseService(value: CiValue, location: string): JobService {
  const map = toImageMap(value, location);
  const image = parseImageMap(map, location, SERVICE_KEYS);
  return {
    ...image,
    alias: parseOptional(map, 'alias', null, (each) => parseString(each, location, 'alias')),
    variables: parseOptional(map, 'variables', [], (each) =>
      parseVariables(each, `${location}:variables`, PLAIN_VARIABLES),
    ),
    command: parseOptional(map, 'command', null, (each) => parseCommands(each, `${location}:command`)),
  };
}
