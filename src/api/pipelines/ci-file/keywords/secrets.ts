import { CiFileError, type CiMap, type CiValue, isMap, toJsonValue } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  checkOneOfKeys,
  checkRequiredKeys,
  configError,
  isPresent,
  parseBoolean,
  parseMap,
  parseOneOf,
  parseOptional,
  parseRequiredString,
  parseString,
  parseStringOrStrings,
  typeError,
} from './checks.ts';

const EMPTY_MAP: CiMap = new Map();

/** Checks the JSON web tokens of a job and returns them as JSON data. */
export function parseIdTokens(value: CiValue, location: string): unknown {
  const map = parseMap(value, location);
  for (const [name, entry] of map) {
    const at = `${location}:${name}`;
    const token = isMap(entry) ? entry : EMPTY_MAP;
    checkRequiredKeys(token, at, ['aud']);
    checkKnownKeys(token, at, new Set(['aud']));
    parseStringOrStrings(token.get('aud') ?? null, at, 'aud');
  }
  return toJsonValue(map);
}

const PROVIDERS = ['vault', 'azure_key_vault', 'gcp_secret_manager', 'gitlab_secrets_manager', 'aws_secrets_manager'];
const SECRET_KEYS = new Set([...PROVIDERS, 'file', 'token']);

/** The keys of a secret by its provider; the first is required. */
const KEYS_BY_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  aws_secrets_manager: [
    ...['secret_id', 'region', 'version_id', 'version_stage', 'role_arn', 'role_session_name', 'field'],
  ],
  azure_key_vault: ['name', 'version'],
  gcp_secret_manager: ['name', 'version'],
  gitlab_secrets_manager: ['name', 'source'],
};

/** Checks the secrets of a job, which runners read from their providers, and returns them as JSON data. */
export function parseSecrets(value: CiValue, location: string): unknown {
  const map = parseMap(value, location);
  for (const [name, secret] of map) checkSecret(secret ?? EMPTY_MAP, `${location}:${name}`);
  return toJsonValue(map);
}

function checkSecret(value: CiValue, location: string): void {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, SECRET_KEYS);
  checkOneOfKeys(map, location, PROVIDERS);
  parseOptional(map, 'token', null, (token) => parseString(token, location, 'token'));
  if (isPresent(map.get('gcp_secret_manager')) && !isPresent(map.get('token')))
    throw configError(location, 'token is required with gcp secrets manager');
  const provider = PROVIDERS.find((key) => map.has(key))!;
  const providerConfig = map.get(provider);
  if (isPresent(providerConfig)) {
    if (provider === 'vault') checkVault(providerConfig, `${location}:vault`);
    else checkProvider(providerConfig, provider, `${location}:${provider}`);
  }
  parseOptional(map, 'file', null, (file) => parseBoolean(file, `${location}:file`, 'config'));
}

function checkVault(value: CiValue, location: string): void {
  if (typeof value === 'string') {
    checkNotBlank(value, location);
    return;
  }
  if (!isMap(value)) throw typeError(location, 'should be a hash or a string');
  checkKnownKeys(value, location, new Set(['engine', 'path', 'field']));
  for (const key of ['path', 'field']) {
    checkNotBlank(value.get(key), location, key);
    parseString(value.get(key)!, location, key);
  }
  checkNotBlank(value.get('engine'), location, 'engine');
  const engine = parseMap(value.get('engine')!, location, 'engine should be a hash');
  const at = `${location}:engine`;
  checkKnownKeys(engine, at, new Set(['name', 'path']));
  checkRequiredKeys(engine, at, ['name', 'path']);
  for (const key of ['name', 'path']) {
    checkNotBlank(engine.get(key), at, key);
    parseString(engine.get(key)!, at, key);
  }
}

function checkProvider(value: CiValue, provider: string, location: string): void {
  if (provider === 'aws_secrets_manager' && typeof value === 'string') {
    checkNotBlank(value, location);
    return;
  }
  const [requiredKey, ...otherKeys] = KEYS_BY_PROVIDER[provider]!;
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set([requiredKey!, ...otherKeys]));
  checkNotBlank(map.get(requiredKey!), location, requiredKey!.replaceAll('_', ' '));
  parseRequiredString(map.get(requiredKey!), location, requiredKey!.replaceAll('_', ' '));
  for (const key of otherKeys) {
    const option = map.get(key);
    // A version may be a number.
    if (isPresent(option) && !(provider === 'gcp_secret_manager' && Number.isInteger(option)))
      parseString(option, location, key.replaceAll('_', ' '));
  }
}

/** Checks `identity` and rejects it, because no provider is supported. */
export function checkIdentity(value: CiValue, job: string, location: string): void {
  parseOneOf(value, location, 'config', ['google_cloud']);
  throw new CiFileError(`${job} job: The google_cloud_support feature is not available`);
}

/** Checks `dast_configuration`, which has no effect. */
export function checkDastConfiguration(value: CiValue, location: string): void {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['site_profile', 'scanner_profile']));
  for (const key of ['site_profile', 'scanner_profile']) {
    parseOptional(map, key, null, (each) => parseString(each, location, key.replaceAll('_', ' ')));
  }
}
