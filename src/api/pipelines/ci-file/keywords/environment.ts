import { type CiValue, isMap, toJsonValue } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  configError,
  parseMap,
  parseOneOf,
  parseOptional,
  parseString,
} from './checks.ts';
import type { JobEnvironment } from './options.ts';

const ENVIRONMENT_KEYS = new Set([
  ...['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'],
]);
const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'] as const;
const ACTION_PROBLEM = 'should be start, stop, prepare, verify, or access';
const NAME = /^[\w${}. -](?:[\w/${}. -]*[\w${}. -])?$/;
const NAME_PROBLEM =
  "name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
const MAX_URL_LENGTH = 255;

/** Parses `environment`: a name, or a map. */
export function parseEnvironment(value: CiValue, location: string): JobEnvironment {
  const map =
    typeof value === 'string'
      ? new Map([['name', value]])
      : parseMap(value, location, 'config should be a hash or a string');
  const name = parseName(map.get('name') ?? null, location);
  checkKnownKeys(map, location, ENVIRONMENT_KEYS);
  const readText = (key: string) =>
    parseOptional(map, key, null, (each) => parseString(each, location, key.replaceAll('_', ' ')));
  const url = readText('url');
  if (url !== null && url.length > MAX_URL_LENGTH)
    throw configError(location, `url is too long (maximum is ${MAX_URL_LENGTH} characters)`);
  const action = parseOptional(map, 'action', 'start' as const, (each) =>
    parseOneOf(each, location, 'action', ACTIONS, ACTION_PROBLEM),
  );
  const deploymentTier = readText('deployment_tier');
  const onStop = readText('on_stop');
  return {
    name,
    url,
    action,
    on_stop: onStop,
    kubernetes: parseOptional(map, 'kubernetes', null, (each) => parseKubernetes(each, location)),
    auto_stop_in: readText('auto_stop_in'),
    deployment_tier: deploymentTier,
  };
}

function parseName(value: CiValue, location: string): string {
  checkNotBlank(value, location, 'name');
  if (typeof value !== 'string' || !NAME.test(value)) throw configError(location, NAME_PROBLEM);
  return value;
}

const KUBERNETES_KEYS = new Set(['namespace', 'agent', 'flux_resource_path', 'managed_resources', 'dashboard']);

/** Checks the cluster of an environment. `location`: the location of the environment. */
function parseKubernetes(value: CiValue, location: string): unknown {
  if (!isMap(value)) throw configError(location, 'kubernetes should be a hash');
  const at = `${location}:kubernetes`;
  checkNotBlank(value, at);
  checkKnownKeys(value, at, KUBERNETES_KEYS);
  const readText = (key: string) =>
    parseOptional(value, key, null, (each) => parseString(each, at, key.replaceAll('_', ' ')));
  const namespace = readText('namespace');
  const agent = readText('agent');
  const fluxResourcePath = readText('flux_resource_path');
  if (fluxResourcePath) checkNotBlank(namespace, at, 'namespace');
  const resources = value.get('managed_resources');
  const managesResources = isMap(resources) && resources.get('enabled') === true;
  if (fluxResourcePath || isMap(value.get('dashboard')) || managesResources) checkNotBlank(agent, at, 'agent');
  return toJsonValue(value);
}
