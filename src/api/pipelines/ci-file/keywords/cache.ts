import { type CiMap, type CiValue, isArray, isMap } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkOneOfKeys,
  configError,
  isBlank,
  isPresent,
  parseBoolean,
  parseMap,
  parseOneOf,
  parseOptional,
  parseString,
  parseStrings,
  typeError,
  WHEN_FINISHED,
} from './checks.ts';
import type { JobCache } from './options.ts';

const CACHE_KEYS = new Set(['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys']);
const MAX_CACHES = 4;
const MAX_FALLBACK_KEYS = 5;
const MAX_KEY_FILES = 2;

/** Parses a cache or an array of caches. `location`: the location of the job. */
export function parseCaches(value: CiValue, location: string): JobCache[] {
  if (!isArray(value) && !isMap(value))
    throw configError(prefix(location, 'caches'), 'config can only be a hash or an array');
  const caches = isArray(value) ? value : [value];
  if (caches.length > MAX_CACHES)
    throw configError(prefix(location, 'caches'), `config no more than ${MAX_CACHES} caches can be created`);
  const at = prefix(location, 'cache');
  return caches.filter(isPresent).map((cache) => parseCache(parseMap(cache, at), at));
}

const prefix = (location: string, key: string) => (location === '' ? key : `${location}:${key}`);

function parseCache(map: CiMap, location: string): JobCache {
  checkKnownKeys(map, location, CACHE_KEYS);
  const readBoolean = (key: string) =>
    parseOptional(map, key, false, (each) => parseBoolean(each, `${location}:${key}`, 'config'));
  const policy = parseCachePolicy(map.get('policy') ?? null, location);
  const when = parseOptional(map, 'when', 'on_success' as const, (each) =>
    parseOneOf(each, location, 'when', WHEN_FINISHED),
  );
  const fallbackKeys = map.get('fallback_keys') ?? null;
  if ((isArray(fallbackKeys) || typeof fallbackKeys === 'string') && fallbackKeys.length > MAX_FALLBACK_KEYS)
    throw configError(location, `fallback keys has to many entries (maximum ${MAX_FALLBACK_KEYS})`);
  return {
    key: parseOptional(map, 'key', 'default', (each) => parseCacheKey(each, `${location}:key`)),
    unprotect: readBoolean('unprotect'),
    untracked: readBoolean('untracked'),
    paths: parseOptional(map, 'paths', [], (each) => parseStrings(each, `${location}:paths`)),
    policy,
    when,
    fallback_keys: parseOptional(map, 'fallback_keys', [], (each) => parseStrings(each, `${location}:fallback_keys`)),
  };
}

/** Parses the cache policy, which may be a variable reference. */
function parseCachePolicy(value: CiValue, location: string): string {
  if (value === null || value === '') return 'pull-push';
  const policy = isBlank(value) ? 'pull-push' : parseString(value, location, 'policy');
  if (!/pull|push|\$/.test(policy))
    throw configError(location, 'policy should be a variable or one of: pull-push, push, pull');
  return policy;
}

function parseCacheKey(value: CiValue, location: string): JobCache['key'] {
  if (typeof value === 'string') return checkKeyText(value, location);
  if (!isMap(value)) throw typeError(location, 'should be a hash, a string or a symbol');
  checkKnownKeys(value, location, new Set(['files', 'files_commits', 'prefix']));
  checkOneOfKeys(value, location, ['files', 'files_commits']);
  const filesKey = value.has('files') ? 'files' : 'files_commits';
  return {
    files: parseOptional(value, filesKey, [], (each) => parseKeyFiles(each, `${location}:${filesKey}`)),
    prefix: parseOptional(value, 'prefix', null, (each) => parseKeyPrefix(each, `${location}:prefix`)),
  };
}

function parseKeyFiles(value: CiValue, location: string): string[] {
  const files = parseStrings(value, location);
  if (files.length === 0) throw configError(location, 'config requires at least 1 item');
  if (files.length > MAX_KEY_FILES)
    throw configError(location, `config has too many items (maximum is ${MAX_KEY_FILES})`);
  return files.map((file) => file.replace(/^\/+/, ''));
}

function parseKeyPrefix(value: CiValue, location: string): string {
  if (typeof value !== 'string') throw configError(location, 'config should be a string or symbol');
  return checkKeyText(value, location);
}

/** A key becomes part of a path. */
function checkKeyText(text: string, location: string): string {
  const path = text.replaceAll(/%2f/gi, '/').replaceAll(/%2e/gi, '.');
  if (path.includes('/')) throw configError(location, 'config cannot contain the "/" character');
  if (path === '.' || path === '..') throw configError(location, 'config cannot be "." or ".."');
  return text;
}
