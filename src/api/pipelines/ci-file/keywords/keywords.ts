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

/** Parsers for structured keywords. `where` is the location for error texts. */

const WHEN_FINISHED = ['on_success', 'on_failure', 'always'] as const;

const IMAGE_KEYS = new Set(['name', 'entrypoint', 'ports', 'docker', 'kubernetes', 'pull_policy']);
const SERVICE_KEYS = new Set([...IMAGE_KEYS, 'alias', 'command', 'variables']);

export function parseImage(value: CiValue, where: string): JobImage {
  if (typeof value === 'string' && value !== '') return parseImageMap(new Map([['name', value]]), where);
  const map = parseMap(value, where, 'config should be a hash or a string');
  checkKnownKeys(map, where, IMAGE_KEYS);
  return parseImageMap(map, where);
}

function parseImageMap(map: CiMap, where: string): JobImage {
  const [name, entrypoint, ports, pullPolicy] = ['name', 'entrypoint', 'ports', 'pull_policy'].map((key) =>
    map.get(key),
  );
  if (typeof name !== 'string' || name === '') throw configError(where, 'name should be a string');
  return {
    name,
    entrypoint: isPresent(entrypoint) ? parseStringOrStrings(entrypoint, where, 'entrypoint') : null,
    ports: isArray(ports) ? ports.map(toJsonValue) : [],
    executor_opts: parseExecutorOptions(map, where),
    pull_policy: isPresent(pullPolicy) ? parseStringOrStrings(pullPolicy, where, 'pull policy') : null,
  };
}

function parseExecutorOptions(map: CiMap, where: string): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const executor of ['docker', 'kubernetes']) {
    const value = map.get(executor);
    if (isPresent(value)) options[executor] = toJsonValue(parseMap(value, where, `${executor} should be a hash`));
  }
  return options;
}

export function parseServices(value: CiValue, where: string): JobService[] {
  if (!isArray(value)) throw configError(where, 'config should be a array');
  return value.map((each) => parseService(each, `${where}:service`));
}

function parseService(value: CiValue, where: string): JobService {
  const map =
    typeof value === 'string'
      ? new Map([['name', value]])
      : parseMap(value, where, 'config should be a hash or a string');
  checkKnownKeys(map, where, SERVICE_KEYS);
  const [alias, command, variables] = ['alias', 'command', 'variables'].map((key) => map.get(key));
  return {
    ...parseImageMap(map, where),
    alias: isPresent(alias) ? parseString(alias, where, 'alias') : null,
    command: isPresent(command) ? parseStringOrStrings(command, where, 'command') : null,
    variables: isPresent(variables) ? parseVariables(variables, `${where}:variables`) : [],
  };
}

const VARIABLE_KEYS = new Set(['value', 'description', 'expand', 'options']);

/** Parses a map of scalars or of `{value, expand}`. */
export function parseVariables(value: CiValue, where: string): FileVariable[] {
  return [...parseMap(value, where)].map(([key, each]) => parseVariable(key, each, `${where}:${key}`));
}

function parseVariable(key: string, value: CiValue, where: string): FileVariable {
  const text = scalarToText(value);
  if (text !== null) return { key, value: text, raw: false };
  if (!isMap(value)) throw new CiFileError('variable definition must be either a string or a hash');
  const unknownKeys = [...value.keys()].filter((each) => !VARIABLE_KEYS.has(each));
  if (unknownKeys.length > 0) throw configError(where, `config uses invalid data keys: ${unknownKeys.join(', ')}`);
  const [rawValue, expand, options] = ['value', 'expand', 'options'].map((each) => value.get(each));
  const variableValue = isPresent(rawValue) ? parseString(rawValue, where, 'value') : '';
  if (
    isPresent(options) &&
    !parseStrings(options, where, 'options should be an array of strings').includes(variableValue)
  ) {
    throw configError(where, 'config value must be present in options');
  }
  return { key, value: variableValue, raw: isPresent(expand) && !parseBoolean(expand, where, 'expand') };
}

const CACHE_KEYS = new Set(['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys']);
const MAX_CACHES = 4;

export function parseCaches(value: CiValue, where: string): JobCache[] {
  const all = isArray(value) ? value : [value];
  if (all.length > MAX_CACHES)
    throw configError(`${where}:caches`, `config no more than ${MAX_CACHES} caches can be created`);
  return all.map((each) => parseCache(parseMap(each, where), where));
}

function parseCache(map: CiMap, where: string): JobCache {
  checkKnownKeys(map, where, CACHE_KEYS);
  const getValue = (key: string) => map.get(key) ?? null;
  const [key, paths, fallback, when, policy] = ['key', 'paths', 'fallback_keys', 'when', 'policy'].map(getValue);
  const [untracked, unprotect] = ['untracked', 'unprotect'].map(getValue);
  return {
    key: isPresent(key) ? parseCacheKey(key, `${where}:key`) : 'default',
    untracked: isPresent(untracked) && parseBoolean(untracked, where, 'untracked'),
    paths: isPresent(paths) ? parseStrings(paths, where, 'paths should be an array of strings') : [],
    policy: isPresent(policy) ? parseCachePolicy(policy, where) : 'pull-push',
    when: isPresent(when) ? parseOneOf(when, where, 'when', WHEN_FINISHED) : 'on_success',
    fallback_keys: isPresent(fallback)
      ? parseStrings(fallback, where, 'fallback keys should be an array of strings')
      : [],
    unprotect: isPresent(unprotect) && parseBoolean(unprotect, where, 'unprotect'),
  };
}

/** Parses the cache policy, which may be a variable reference. */
function parseCachePolicy(value: CiValue, where: string): string {
  if (typeof value === 'string' && value.startsWith('$')) return value;
  return parseOneOf(value, where, 'policy', ['pull-push', 'push', 'pull']);
}

function parseCacheKey(value: CiValue, where: string): JobCache['key'] {
  const text = scalarToText(value);
  if (text !== null) return text;
  const map = parseMap(value, where, 'config should be a hash, a string or a symbol');
  checkKnownKeys(map, where, new Set(['files', 'files_commits', 'prefix']));
  const [files, prefix] = [map.get('files') ?? map.get('files_commits') ?? null, map.get('prefix') ?? null];
  return {
    files: parseStrings(files, `${where}:files`, 'config should be an array of strings'),
    prefix: isPresent(prefix) ? parseString(prefix, where, 'prefix') : null,
  };
}

const ARTIFACTS_KEYS = new Set([
  ...['name', 'untracked', 'paths', 'reports', 'when', 'expire_in', 'expose_as', 'exclude', 'public', 'access'],
]);

export function parseArtifacts(value: CiValue, where: string): JobArtifacts {
  const map = parseMap(value, where);
  checkKnownKeys(map, where, ARTIFACTS_KEYS);
  const getValue = (key: string) => map.get(key) ?? null;
  const [name, untracked, exposeAs, reports] = ['name', 'untracked', 'expose_as', 'reports'].map(getValue);
  const [paths, exclude, when, expireIn] = ['paths', 'exclude', 'when', 'expire_in'].map(getValue);
  if (isPresent(expireIn) && expireIn !== 'never') parseDurationKeyword(expireIn, where, 'expire in');
  return {
    name: isPresent(name) ? parseString(name, where, 'name') : null,
    untracked: isPresent(untracked) && parseBoolean(untracked, where, 'untracked'),
    paths: isPresent(paths) ? parseStrings(paths, where, 'paths should be an array of strings') : [],
    exclude: isPresent(exclude) ? parseStrings(exclude, where, 'exclude should be an array of strings') : [],
    when: isPresent(when) ? parseOneOf(when, where, 'when', WHEN_FINISHED) : 'on_success',
    expire_in: isPresent(expireIn) ? scalarToText(expireIn) : null,
    expose_as: isPresent(exposeAs) ? parseString(exposeAs, where, 'expose as') : null,
    access: parseArtifactsAccess(map, where),
    reports: isPresent(reports) ? parseReports(parseMap(reports, `${where}:reports`), `${where}:reports`) : {},
  };
}

function parseArtifactsAccess(map: CiMap, where: string): JobArtifacts['access'] {
  const [access, open] = [map.get('access') ?? null, map.get('public') ?? null];
  if (isPresent(access)) return parseOneOf(access, where, 'access', ['all', 'developer', 'maintainer', 'none']);
  return isPresent(open) && !parseBoolean(open, where, 'public') ? 'developer' : 'all';
}

function parseReports(map: CiMap, where: string): Record<string, readonly string[]> {
  const reports = Object.create(null) as Record<string, readonly string[]>;
  for (const [kind, value] of map) {
    if (!isPresent(value)) continue;
    // Some reports are maps with a path, such as `coverage_report`.
    const paths = isMap(value) ? (value.get('path') ?? null) : value;
    reports[kind] = parseStringOrStrings(paths, where, kind.replaceAll('_', ' '));
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

function parseRetryCount(count: number, where: string): number {
  if (count > MAX_RETRIES) throw configError(where, `must be less than or equal to ${MAX_RETRIES}`);
  if (count < 0) throw configError(where, 'must be greater than or equal to 0');
  return count;
}

const ENVIRONMENT_KEYS = new Set([
  ...['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'],
]);
const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'] as const;
const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

export function parseEnvironment(value: CiValue, where: string): JobEnvironment {
  const map =
    typeof value === 'string'
      ? new Map([['name', value]])
      : parseMap(value, where, 'config should be a hash or a string');
  checkKnownKeys(map, where, ENVIRONMENT_KEYS);
  const getValue = (key: string) => map.get(key) ?? null;
  const [name, url, onStop, autoStop, tier] = ['name', 'url', 'on_stop', 'auto_stop_in', 'deployment_tier'].map(
    getValue,
  );
  if (!isPresent(name!) || name === '') throw configError(where, "name can't be blank");
  if (isPresent(autoStop!) && autoStop !== 'never' && !String(autoStop).includes('$')) {
    parseDurationKeyword(autoStop, where, 'auto stop in');
  }
  return {
    name: parseString(name, where, 'name'),
    url: isPresent(url!) ? parseString(url, where, 'url') : null,
    action: parseEnvironmentAction(map.get('action'), where),
    on_stop: isPresent(onStop!) ? parseString(onStop, where, 'on stop') : null,
    auto_stop_in: isPresent(autoStop!) ? scalarToText(autoStop) : null,
    deployment_tier: isPresent(tier!) ? parseDeploymentTier(tier, where) : null,
    kubernetes: toJsonValue(getValue('kubernetes')),
  };
}

function parseEnvironmentAction(value: CiValue | undefined, where: string): JobEnvironment['action'] {
  if (!isPresent(value)) return 'start';
  const action = ACTIONS.find((each) => each === value);
  if (action === undefined) throw configError(where, 'action should be start, stop, prepare, verify, or access');
  return action;
}

function parseDeploymentTier(value: CiValue, where: string): string {
  const tier = TIERS.find((each) => each === value);
  if (tier === undefined) throw configError(where, `deployment tier must be one of ${TIERS.join(', ')}`);
  return tier;
}

export function parseHooks(value: CiValue, where: string): { readonly pre_get_sources_script?: readonly string[] } {
  const map = parseMap(value, where);
  checkKnownKeys(map, where, new Set(['pre_get_sources_script']));
  const script = map.get('pre_get_sources_script');
  return isPresent(script) ? { pre_get_sources_script: parseCommands(script, `${where}:pre_get_sources_script`) } : {};
}
