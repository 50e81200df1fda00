import { CiFileError, type CiMap, type CiValue, isArray, isMap, scalarToText, toJsonValue } from '../yaml/values.ts';
import {
  checkKnownKeys,
  configError,
  isPresent,
  parseBoolean,
  parseCommands,
  parseDurationKeyword,
  parseIntegers,
  parseMap,
  parseOneOf,
  parseString,
  parseStringOrStrings,
  parseStrings,
} from './checks.ts';
import type {
  FileVariable,
  JobArtifacts,
  JobCache,
  JobEnvironment,
  JobImage,
  JobRetry,
  JobService,
} from './options.ts';

/** Parsers for structured keywords. `location` is the place in the CI file, for error texts. */

const WHEN_FINISHED = ['on_success', 'on_failure', 'always'] as const;

const IMAGE_KEYS = new Set(['name', 'entrypoint', 'ports', 'docker', 'kubernetes', 'pull_policy']);
const SERVICE_KEYS = new Set([...IMAGE_KEYS, 'alias', 'command', 'variables']);

export function parseImage(value: CiValue, location: string): JobImage {
  if (typeof value === 'string' && value !== '') return parseImageMap(new Map([['name', value]]), location);
  const map = parseMap(value, location, 'config should be a hash or a string');
  checkKnownKeys(map, location, IMAGE_KEYS);
  return parseImageMap(map, location);
}

function parseImageMap(map: CiMap, location: string): JobImage {
  const [name, entrypoint, ports, pullPolicy] = ['name', 'entrypoint', 'ports', 'pull_policy'].map((key) =>
    map.get(key),
  );
  if (typeof name !== 'string' || name === '') throw configError(location, 'name should be a string');
  return {
    name,
    entrypoint: isPresent(entrypoint) ? parseStringOrStrings(entrypoint, location, 'entrypoint') : null,
    ports: isArray(ports) ? ports.map(toJsonValue) : [],
    executor_opts: parseExecutorOptions(map, location),
    pull_policy: isPresent(pullPolicy) ? parseStringOrStrings(pullPolicy, location, 'pull policy') : null,
  };
}

function parseExecutorOptions(map: CiMap, location: string): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const executor of ['docker', 'kubernetes']) {
    const value = map.get(executor);
    if (isPresent(value)) options[executor] = toJsonValue(parseMap(value, location, `${executor} should be a hash`));
  }
  return options;
}

export function parseServices(value: CiValue, location: string): JobService[] {
  if (!isArray(value)) throw configError(location, 'config should be a array');
  return value.map((service) => parseService(service, `${location}:service`));
}

function parseService(value: CiValue, location: string): JobService {
  const map =
    typeof value === 'string'
      ? new Map([['name', value]])
      : parseMap(value, location, 'config should be a hash or a string');
  checkKnownKeys(map, location, SERVICE_KEYS);
  const [alias, command, variables] = ['alias', 'command', 'variables'].map((key) => map.get(key));
  return {
    ...parseImageMap(map, location),
    alias: isPresent(alias) ? parseString(alias, location, 'alias') : null,
    command: isPresent(command) ? parseStringOrStrings(command, location, 'command') : null,
    variables: isPresent(variables) ? parseVariables(variables, `${location}:variables`) : [],
  };
}

const VARIABLE_KEYS = new Set(['value', 'description', 'expand', 'options']);

/** Parses a map of scalars or of `{value, expand}`. */
export function parseVariables(value: CiValue, location: string): FileVariable[] {
  return [...parseMap(value, location)].map(([key, variable]) => parseVariable(key, variable, `${location}:${key}`));
}

function parseVariable(key: string, value: CiValue, location: string): FileVariable {
  const text = scalarToText(value);
  if (text !== null) return { key, value: text, raw: false };
  if (!isMap(value)) throw new CiFileError('variable definition must be either a string or a hash');
  const unknownKeys = [...value.keys()].filter((key) => !VARIABLE_KEYS.has(key));
  if (unknownKeys.length > 0) throw configError(location, `config uses invalid data keys: ${unknownKeys.join(', ')}`);
  const [rawValue, expand, options] = ['value', 'expand', 'options'].map((key) => value.get(key));
  const variableValue = isPresent(rawValue) ? parseString(rawValue, location, 'value') : '';
  if (
    isPresent(options) &&
    !parseStrings(options, location, 'options should be an array of strings').includes(variableValue)
  ) {
    throw configError(location, 'config value must be present in options');
  }
  return { key, value: variableValue, raw: isPresent(expand) && !parseBoolean(expand, location, 'expand') };
}

const CACHE_KEYS = new Set(['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys']);
const MAX_CACHES = 4;

export function parseCaches(value: CiValue, location: string): JobCache[] {
  const caches = isArray(value) ? value : [value];
  if (caches.length > MAX_CACHES)
    throw configError(`${location}:caches`, `config no more than ${MAX_CACHES} caches can be created`);
  return caches.map((cache) => parseCache(parseMap(cache, location), location));
}

function parseCache(map: CiMap, location: string): JobCache {
  checkKnownKeys(map, location, CACHE_KEYS);
  const getValue = (key: string) => map.get(key) ?? null;
  const [key, paths, fallback, when, policy] = ['key', 'paths', 'fallback_keys', 'when', 'policy'].map(getValue);
  const [untracked, unprotect] = ['untracked', 'unprotect'].map(getValue);
  return {
    key: isPresent(key) ? parseCacheKey(key, `${location}:key`) : 'default',
    untracked: isPresent(untracked) && parseBoolean(untracked, location, 'untracked'),
    paths: isPresent(paths) ? parseStrings(paths, location, 'paths should be an array of strings') : [],
    policy: isPresent(policy) ? parseCachePolicy(policy, location) : 'pull-push',
    when: isPresent(when) ? parseOneOf(when, location, 'when', WHEN_FINISHED) : 'on_success',
    fallback_keys: isPresent(fallback)
      ? parseStrings(fallback, location, 'fallback keys should be an array of strings')
      : [],
    unprotect: isPresent(unprotect) && parseBoolean(unprotect, location, 'unprotect'),
  };
}

/** Parses the cache policy, which may be a variable reference. */
function parseCachePolicy(value: CiValue, location: string): string {
  if (typeof value === 'string' && value.startsWith('$')) return value;
  return parseOneOf(value, location, 'policy', ['pull-push', 'push', 'pull']);
}

function parseCacheKey(value: CiValue, location: string): JobCache['key'] {
  const text = scalarToText(value);
  if (text !== null) return text;
  const map = parseMap(value, location, 'config should be a hash, a string or a symbol');
  checkKnownKeys(map, location, new Set(['files', 'files_commits', 'prefix']));
  const [files, prefix] = [map.get('files') ?? map.get('files_commits') ?? null, map.get('prefix') ?? null];
  return {
    files: parseStrings(files, `${location}:files`, 'config should be an array of strings'),
    prefix: isPresent(prefix) ? parseString(prefix, location, 'prefix') : null,
  };
}

const ARTIFACTS_KEYS = new Set([
  ...['name', 'untracked', 'paths', 'reports', 'when', 'expire_in', 'expose_as', 'exclude', 'public', 'access'],
]);

export function parseArtifacts(value: CiValue, location: string): JobArtifacts {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, ARTIFACTS_KEYS);
  const getValue = (key: string) => map.get(key) ?? null;
  const [name, untracked, exposeAs, reports] = ['name', 'untracked', 'expose_as', 'reports'].map(getValue);
  const [paths, exclude, when, expireIn] = ['paths', 'exclude', 'when', 'expire_in'].map(getValue);
  if (isPresent(expireIn) && expireIn !== 'never') parseDurationKeyword(expireIn, location, 'expire in');
  return {
    name: isPresent(name) ? parseString(name, location, 'name') : null,
    untracked: isPresent(untracked) && parseBoolean(untracked, location, 'untracked'),
    paths: isPresent(paths) ? parseStrings(paths, location, 'paths should be an array of strings') : [],
    exclude: isPresent(exclude) ? parseStrings(exclude, location, 'exclude should be an array of strings') : [],
    when: isPresent(when) ? parseOneOf(when, location, 'when', WHEN_FINISHED) : 'on_success',
    expire_in: isPresent(expireIn) ? scalarToText(expireIn) : null,
    expose_as: isPresent(exposeAs) ? parseString(exposeAs, location, 'expose as') : null,
    access: parseArtifactsAccess(map, location),
    reports: isPresent(reports) ? parseReports(parseMap(reports, `${location}:reports`), `${location}:reports`) : {},
  };
}

function parseArtifactsAccess(map: CiMap, location: string): JobArtifacts['access'] {
  const [access, open] = [map.get('access') ?? null, map.get('public') ?? null];
  if (isPresent(access)) return parseOneOf(access, location, 'access', ['all', 'developer', 'maintainer', 'none']);
  return isPresent(open) && !parseBoolean(open, location, 'public') ? 'developer' : 'all';
}

function parseReports(map: CiMap, location: string): Record<string, readonly string[]> {
  const reports = Object.create(null) as Record<string, readonly string[]>;
  for (const [kind, value] of map) {
    if (!isPresent(value)) continue;
    // Some reports are maps with a path, such as `coverage_report`.
    const paths = isMap(value) ? (value.get('path') ?? null) : value;
    reports[kind] = parseStringOrStrings(paths, location, kind.replaceAll('_', ' '));
  }
  return reports;
}

const RETRY_KEYS = new Set(['max', 'when', 'exit_codes']);
const MAX_RETRIES = 2;

/** Parses `retry`. Its error texts do not name the job. */
export function parseRetry(value: CiValue): JobRetry {
  if (typeof value === 'number' && Number.isInteger(value)) {
    return { max: parseRetryCount(value, 'retry config'), when: ['always'], exit_codes: [] };
  }
  if (!isMap(value)) throw new CiFileError('retry config has to be either an integer or a hash');
  checkKnownKeys(value, 'retry', RETRY_KEYS);
  const [max, when, codes] = ['max', 'when', 'exit_codes'].map((key) => value.get(key));
  if (isPresent(max) && !Number.isInteger(max)) throw configError('retry', 'max should be an integer');
  return {
    max: isPresent(max) ? parseRetryCount(max as number, 'retry max') : 0,
    // If only exit codes are set, only they count.
    when: isPresent(when) ? parseStringOrStrings(when, 'retry', 'when') : isPresent(codes) ? [] : ['always'],
    exit_codes: isPresent(codes) ? parseIntegers(codes, 'retry', 'exit codes') : [],
  };
}

function parseRetryCount(count: number, location: string): number {
  if (count > MAX_RETRIES) throw configError(location, `must be less than or equal to ${MAX_RETRIES}`);
  if (count < 0) throw configError(location, 'must be greater than or equal to 0');
  return count;
}

const ENVIRONMENT_KEYS = new Set([
  ...['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'],
]);
const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'] as const;
const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

export function parseEnvironment(value: CiValue, location: string): JobEnvironment {
  const map =
    typeof value === 'string'
      ? new Map([['name', value]])
      : parseMap(value, location, 'config should be a hash or a string');
  checkKnownKeys(map, location, ENVIRONMENT_KEYS);
  const getValue = (key: string) => map.get(key) ?? null;
  const [name, url, onStop, autoStop, tier] = ['name', 'url', 'on_stop', 'auto_stop_in', 'deployment_tier'].map(
    getValue,
  );
  if (!isPresent(name!) || name === '') throw configError(location, "name can't be blank");
  if (isPresent(autoStop!) && autoStop !== 'never' && !String(autoStop).includes('$')) {
    parseDurationKeyword(autoStop, location, 'auto stop in');
  }
  return {
    name: parseString(name, location, 'name'),
    url: isPresent(url!) ? parseString(url, location, 'url') : null,
    action: parseEnvironmentAction(map.get('action'), location),
    on_stop: isPresent(onStop!) ? parseString(onStop, location, 'on stop') : null,
    auto_stop_in: isPresent(autoStop!) ? scalarToText(autoStop) : null,
    deployment_tier: isPresent(tier!) ? parseDeploymentTier(tier, location) : null,
    kubernetes: toJsonValue(getValue('kubernetes')),
  };
}

function parseEnvironmentAction(value: CiValue | undefined, location: string): JobEnvironment['action'] {
  if (!isPresent(value)) return 'start';
  const action = ACTIONS.find((each) => each === value);
  if (action === undefined) throw configError(location, 'action should be start, stop, prepare, verify, or access');
  return action;
}

function parseDeploymentTier(value: CiValue, location: string): string {
  const tier = TIERS.find((each) => each === value);
  if (tier === undefined) throw configError(location, `deployment tier must be one of ${TIERS.join(', ')}`);
  return tier;
}

export function parseHooks(value: CiValue, location: string): { readonly pre_get_sources_script?: readonly string[] } {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['pre_get_sources_script']));
  const script = map.get('pre_get_sources_script');
  return isPresent(script)
    ? { pre_get_sources_script: parseCommands(script, `${location}:pre_get_sources_script`) }
    : {};
}
