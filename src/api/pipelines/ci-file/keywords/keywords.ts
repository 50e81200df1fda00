import { CiFileInvalid, type CiMap, type CiValue, isArray, isMap, plain, textOf } from '../yaml/values.ts';
import {
  booleanAt,
  commandsAt,
  durationAt,
  integersAt,
  isGiven,
  knownKeys,
  mapAt,
  oneOfAt,
  textAt,
  textsAt,
  textsOrOneAt,
  wrong,
} from './checks.ts';
import type { Artifacts, Cache, Environment, FileVariable, Image, Retry, Service } from './options.ts';

/** The keywords that hold something of their own: each from what the file says to what jobs keep, `where` for its errors. */

const WHEN_ENDED = ['on_success', 'on_failure', 'always'] as const;

const IMAGE_KEYS = new Set(['name', 'entrypoint', 'ports', 'docker', 'kubernetes', 'pull_policy']);
const SERVICE_KEYS = new Set([...IMAGE_KEYS, 'alias', 'command', 'variables']);

export function imageAt(value: CiValue, where: string): Image {
  if (typeof value === 'string' && value !== '') return imageOf(new Map([['name', value]]), where);
  const map = mapAt(value, where, 'config should be a hash or a string');
  knownKeys(map, where, IMAGE_KEYS);
  return imageOf(map, where);
}

function imageOf(map: CiMap, where: string): Image {
  const [name, entrypoint, ports, pullPolicy] = ['name', 'entrypoint', 'ports', 'pull_policy'].map((key) =>
    map.get(key),
  );
  if (typeof name !== 'string' || name === '') throw wrong(where, 'name should be a string');
  return {
    name,
    entrypoint: isGiven(entrypoint) ? textsOrOneAt(entrypoint, where, 'entrypoint') : null,
    ports: isArray(ports) ? ports.map(plain) : [],
    executor_opts: executorOptions(map, where),
    pull_policy: isGiven(pullPolicy) ? textsOrOneAt(pullPolicy, where, 'pull policy') : null,
  };
}

function executorOptions(map: CiMap, where: string): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const executor of ['docker', 'kubernetes']) {
    const value = map.get(executor);
    if (isGiven(value)) options[executor] = plain(mapAt(value, where, `${executor} should be a hash`));
  }
  return options;
}

export function servicesAt(value: CiValue, where: string): Service[] {
  if (!isArray(value)) throw wrong(where, 'config should be a array');
  return value.map((each) => serviceAt(each, `${where}:service`));
}

function serviceAt(value: CiValue, where: string): Service {
  const map =
    typeof value === 'string' ? new Map([['name', value]]) : mapAt(value, where, 'config should be a hash or a string');
  knownKeys(map, where, SERVICE_KEYS);
  const [alias, command, variables] = ['alias', 'command', 'variables'].map((key) => map.get(key));
  return {
    ...imageOf(map, where),
    alias: isGiven(alias) ? textAt(alias, where, 'alias') : null,
    command: isGiven(command) ? textsOrOneAt(command, where, 'command') : null,
    variables: isGiven(variables) ? variablesAt(variables, `${where}:variables`) : [],
  };
}

const VARIABLE_KEYS = new Set(['value', 'description', 'expand', 'options']);

/** A map of scalars, or of `{value, expand}`. */
export function variablesAt(value: CiValue, where: string): FileVariable[] {
  return [...mapAt(value, where)].map(([key, each]) => variableOf(key, each, `${where}:${key}`));
}

function variableOf(key: string, value: CiValue, where: string): FileVariable {
  const text = textOf(value);
  if (text !== null) return { key, value: text, raw: false };
  if (!isMap(value)) throw new CiFileInvalid('variable definition must be either a string or a hash');
  const unknown = [...value.keys()].filter((each) => !VARIABLE_KEYS.has(each));
  if (unknown.length > 0) throw wrong(where, `config uses invalid data keys: ${unknown.join(', ')}`);
  const [given, expand, options] = ['value', 'expand', 'options'].map((each) => value.get(each));
  const found = isGiven(given) ? textAt(given, where, 'value') : '';
  if (isGiven(options) && !textsAt(options, where, 'options should be an array of strings').includes(found)) {
    throw wrong(where, 'config value must be present in options');
  }
  return { key, value: found, raw: isGiven(expand) && !booleanAt(expand, where, 'expand') };
}

const CACHE_KEYS = new Set(['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys']);
const MOST_CACHES = 4;

export function cachesAt(value: CiValue, where: string): Cache[] {
  const all = isArray(value) ? value : [value];
  if (all.length > MOST_CACHES)
    throw wrong(`${where}:caches`, `config no more than ${MOST_CACHES} caches can be created`);
  return all.map((each) => cacheAt(mapAt(each, where), where));
}

function cacheAt(map: CiMap, where: string): Cache {
  knownKeys(map, where, CACHE_KEYS);
  const given = (key: string) => map.get(key) ?? null;
  const [key, paths, fallback, when, policy] = ['key', 'paths', 'fallback_keys', 'when', 'policy'].map(given);
  const [untracked, unprotect] = ['untracked', 'unprotect'].map(given);
  return {
    key: isGiven(key) ? cacheKeyAt(key, `${where}:key`) : 'default',
    untracked: isGiven(untracked) && booleanAt(untracked, where, 'untracked'),
    paths: isGiven(paths) ? textsAt(paths, where, 'paths should be an array of strings') : [],
    policy: isGiven(policy) ? policyAt(policy, where) : 'pull-push',
    when: isGiven(when) ? oneOfAt(when, where, 'when', WHEN_ENDED) : 'on_success',
    fallback_keys: isGiven(fallback) ? textsAt(fallback, where, 'fallback keys should be an array of strings') : [],
    unprotect: isGiven(unprotect) && booleanAt(unprotect, where, 'unprotect'),
  };
}

/** A variable may say it. */
function policyAt(value: CiValue, where: string): string {
  if (typeof value === 'string' && value.startsWith('$')) return value;
  return oneOfAt(value, where, 'policy', ['pull-push', 'push', 'pull']);
}

function cacheKeyAt(value: CiValue, where: string): Cache['key'] {
  const text = textOf(value);
  if (text !== null) return text;
  const map = mapAt(value, where, 'config should be a hash, a string or a symbol');
  knownKeys(map, where, new Set(['files', 'files_commits', 'prefix']));
  const [files, prefix] = [map.get('files') ?? map.get('files_commits') ?? null, map.get('prefix') ?? null];
  return {
    files: textsAt(files, `${where}:files`, 'config should be an array of strings'),
    prefix: isGiven(prefix) ? textAt(prefix, where, 'prefix') : null,
  };
}

const ARTIFACTS_KEYS = new Set([
  ...['name', 'untracked', 'paths', 'reports', 'when', 'expire_in', 'expose_as', 'exclude', 'public', 'access'],
]);

export function artifactsAt(value: CiValue, where: string): Artifacts {
  const map = mapAt(value, where);
  knownKeys(map, where, ARTIFACTS_KEYS);
  const given = (key: string) => map.get(key) ?? null;
  const [name, untracked, exposeAs, reports] = ['name', 'untracked', 'expose_as', 'reports'].map(given);
  const [paths, exclude, when, expireIn] = ['paths', 'exclude', 'when', 'expire_in'].map(given);
  if (isGiven(expireIn) && expireIn !== 'never') durationAt(expireIn, where, 'expire in');
  return {
    name: isGiven(name) ? textAt(name, where, 'name') : null,
    untracked: isGiven(untracked) && booleanAt(untracked, where, 'untracked'),
    paths: isGiven(paths) ? textsAt(paths, where, 'paths should be an array of strings') : [],
    exclude: isGiven(exclude) ? textsAt(exclude, where, 'exclude should be an array of strings') : [],
    when: isGiven(when) ? oneOfAt(when, where, 'when', WHEN_ENDED) : 'on_success',
    expire_in: isGiven(expireIn) ? textOf(expireIn) : null,
    expose_as: isGiven(exposeAs) ? textAt(exposeAs, where, 'expose as') : null,
    access: accessOf(map, where),
    reports: isGiven(reports) ? reportsAt(mapAt(reports, `${where}:reports`), `${where}:reports`) : {},
  };
}

function accessOf(map: CiMap, where: string): Artifacts['access'] {
  const [access, open] = [map.get('access') ?? null, map.get('public') ?? null];
  if (isGiven(access)) return oneOfAt(access, where, 'access', ['all', 'developer', 'maintainer', 'none']);
  return isGiven(open) && !booleanAt(open, where, 'public') ? 'developer' : 'all';
}

function reportsAt(map: CiMap, where: string): Record<string, readonly string[]> {
  const reports = Object.create(null) as Record<string, readonly string[]>;
  for (const [kind, value] of map) {
    if (!isGiven(value)) continue;
    // `coverage_report: {coverage_format, path}` and the like.
    const paths = isMap(value) ? (value.get('path') ?? null) : value;
    reports[kind] = textsOrOneAt(paths, where, kind.replaceAll('_', ' '));
  }
  return reports;
}

const RETRY_KEYS = new Set(['max', 'when', 'exit_codes']);
const MOST_RETRIES = 2;

/** Its errors name no job. */
export function retryAt(value: CiValue): Retry {
  if (typeof value === 'number' && Number.isInteger(value)) {
    return { max: retriesAt(value, 'retry config'), when: ['always'], exit_codes: [] };
  }
  if (!isMap(value)) throw new CiFileInvalid('retry config has to be either an integer or a hash');
  knownKeys(value, 'retry', RETRY_KEYS);
  const [max, when, codes] = ['max', 'when', 'exit_codes'].map((key) => value.get(key));
  if (isGiven(max) && !Number.isInteger(max)) throw wrong('retry', 'max should be an integer');
  return {
    max: isGiven(max) ? retriesAt(max as number, 'retry max') : 0,
    // With exit codes alone only they count.
    when: isGiven(when) ? textsOrOneAt(when, 'retry', 'when') : isGiven(codes) ? [] : ['always'],
    exit_codes: isGiven(codes) ? integersAt(codes, 'retry', 'exit codes') : [],
  };
}

function retriesAt(count: number, where: string): number {
  if (count > MOST_RETRIES) throw wrong(where, `must be less than or equal to ${MOST_RETRIES}`);
  if (count < 0) throw wrong(where, 'must be greater than or equal to 0');
  return count;
}

const ENVIRONMENT_KEYS = new Set([
  ...['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'],
]);
const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'] as const;
const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

export function environmentAt(value: CiValue, where: string): Environment {
  const map =
    typeof value === 'string' ? new Map([['name', value]]) : mapAt(value, where, 'config should be a hash or a string');
  knownKeys(map, where, ENVIRONMENT_KEYS);
  const given = (key: string) => map.get(key) ?? null;
  const [name, url, onStop, autoStop, tier] = ['name', 'url', 'on_stop', 'auto_stop_in', 'deployment_tier'].map(given);
  if (!isGiven(name!) || name === '') throw wrong(where, "name can't be blank");
  if (isGiven(autoStop!) && autoStop !== 'never' && !String(autoStop).includes('$')) {
    durationAt(autoStop, where, 'auto stop in');
  }
  return {
    name: textAt(name, where, 'name'),
    url: isGiven(url!) ? textAt(url, where, 'url') : null,
    action: actionAt(map.get('action'), where),
    on_stop: isGiven(onStop!) ? textAt(onStop, where, 'on stop') : null,
    auto_stop_in: isGiven(autoStop!) ? textOf(autoStop) : null,
    deployment_tier: isGiven(tier!) ? tierAt(tier, where) : null,
    kubernetes: plain(given('kubernetes')),
  };
}

function actionAt(value: CiValue | undefined, where: string): Environment['action'] {
  if (!isGiven(value)) return 'start';
  const action = ACTIONS.find((each) => each === value);
  if (action === undefined) throw wrong(where, 'action should be start, stop, prepare, verify, or access');
  return action;
}

function tierAt(value: CiValue, where: string): string {
  const tier = TIERS.find((each) => each === value);
  if (tier === undefined) throw wrong(where, `deployment tier must be one of ${TIERS.join(', ')}`);
  return tier;
}

export function hooksAt(value: CiValue, where: string): { readonly pre_get_sources_script?: readonly string[] } {
  const map = mapAt(value, where);
  knownKeys(map, where, new Set(['pre_get_sources_script']));
  const script = map.get('pre_get_sources_script');
  return isGiven(script) ? { pre_get_sources_script: commandsAt(script, `${where}:pre_get_sources_script`) } : {};
}
