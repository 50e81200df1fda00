import type { JobWhen } from '#database/schema.ts';
import { compileRegex, parseRegexLiteral } from '#text/safe-regex.ts';
import type { PatternCache } from '../expressions/expression.ts';
import { type CiMap, type CiValue, isArray, isMap, toJsonValue } from '../yaml/values.ts';
import { NO_ARTIFACTS, parseArtifacts } from './artifacts.ts';
import { parseCaches } from './cache.ts';
import {
  checkExclusiveKeys,
  checkKnownKeys,
  checkNotBlank,
  configError,
  isBlank,
  isPresent,
  parseBoolean,
  parseCommands,
  parseDurationKeyword,
  parseExpiry,
  parseMap,
  parseOneOf,
  parseOptional,
  parseRequiredString,
  parseString,
  parseStringOrStrings,
  parseStrings,
  parseWords,
  toBoolean,
  typeError,
} from './checks.ts';
import { parseEnvironment } from './environment.ts';
import { parseImage, parseServices } from './image.ts';
import {
  type AllowFailure,
  type CiJobNeed,
  MAX_START_IN_SECONDS,
  type Parallel,
  parseAllowFailure,
  parseNeeds,
  parseParallel,
  parseRetry,
} from './job-keywords.ts';
import type { FileVariable, JobArtifacts, JobEnvironment, JobOptions } from './options.ts';
import { parseRefPolicy, type RefPolicy } from './policies.ts';
import { type CiRule, checkJobRules, parseJobRules } from './rules.ts';
import { checkDastConfiguration, checkIdentity, parseIdTokens, parseSecrets } from './secrets.ts';
import { JOB_VARIABLES, parseVariables } from './variables.ts';

/** A validated job of the CI file. */
export interface CiJob {
  readonly name: string;
  readonly stage: string;
  /** Null: not set. */
  readonly when: JobWhen | null;
  readonly startIn: number | null;
  readonly allowFailure: AllowFailure | null;
  readonly rules: readonly CiRule[] | null;
  readonly only: RefPolicy | null;
  readonly except: RefPolicy | null;
  readonly needs: readonly CiJobNeed[] | null;
  /** The needs of each instance of the job where they differ; null: all instances have `needs`. */
  readonly instanceNeeds: readonly (readonly CiJobNeed[])[] | null;
  readonly dependencies: readonly string[] | null;
  readonly parallel: Parallel | null;
  readonly tags: readonly string[];
  readonly environment: JobEnvironment | null;
  readonly resourceGroup: string | null;
  readonly timeout: number | null;
  readonly interruptible: boolean;
  readonly variables: readonly FileVariable[];
  /** Returns whether the job inherits a global variable. */
  readonly inherits: (key: string) => boolean;
  readonly options: Pick<JobOptions, RunnerOption>;
}

/** The options that are copied to the job unchanged. */
type RunnerOption =
  | 'before_script'
  | 'script'
  | 'after_script'
  | 'image'
  | 'services'
  | 'cache'
  | 'artifacts'
  | 'retry'
  | 'hooks'
  | 'coverage'
  | 'manual_confirmation'
  | 'id_tokens'
  | 'release'
  | 'secrets';

/** The keys that `default` may set for all jobs. */
export const DEFAULT_KEYS = new Set([
  ...['before_script', 'after_script', 'hooks', 'cache', 'image', 'services', 'interruptible', 'timeout', 'retry'],
  ...['tags', 'artifacts', 'id_tokens'],
]);

const JOB_KEYS = new Set([
  ...DEFAULT_KEYS,
  ...['script', 'stage', 'extends', 'only', 'except', 'rules', 'variables', 'inherit', 'when', 'start_in'],
  ...['allow_failure', 'needs', 'dependencies', 'environment', 'parallel', 'resource_group', 'coverage', 'release'],
  ...['secrets', 'pages', 'publish', 'manual_confirmation', 'identity', 'dast_configuration', 'run'],
]);

const WHENS = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
const MAX_NAME_LENGTH = 255;
const MAX_TAGS = 50;
/** A month of 30.44 days. */
const MAX_TIMEOUT_SECONDS = 2_629_745;

/** Reads a key of a job or, if it inherits the key, of the defaults. */
type KeywordReader = <T>(key: string, parse: (value: Exclude<CiValue, null>) => T) => T | null;

/**
 * Parses a job; throws a CiFileError for the first problem. The keys of the job itself are checked first, then the values of its
 * keywords, each in a fixed order.
 */
export function parseJob(name: string, entry: CiMap, defaults: CiMap, patterns: PatternCache): CiJob {
  const location = `jobs:${name}`;
  const readOwn: KeywordReader = (key, parse) => parseOptional(entry, key, null, parse);
  const ownKeys = parseOwnKeys(name, entry, location);
  const stage = readOwn('stage', (value) => parseString(value, `${location}:stage`, 'config')) ?? 'test';
  const only = readOwn('only', (value) => parseRefPolicy(value, `${location}:only`, patterns));
  const except = readOwn('except', (value) => parseRefPolicy(value, `${location}:except`, patterns));
  const rules = readOwn('rules', (value) => parseJobRules(value, `${location}:rules`, patterns));
  const variables = readOwn('variables', (value) => parseVariables(value, `${location}:variables`, JOB_VARIABLES));
  const inherit = parseInherit(entry.get('inherit') ?? null, `${location}:inherit`);
  const environment = readOwn('environment', (value) => parseEnvironment(value, `${location}:environment`));
  const read: KeywordReader = (key, parse) =>
    parseOptional(isPresent(entry.get(key)) || !inherit.defaults(key) ? entry : defaults, key, null, parse);
  const script = readOwn('script', (value) => parseCommands(value, `${location}:script`)) ?? [];
  const inherited = parseInheritedKeys(read, location);
  const needs = readOwn('needs', (value) => parseNeeds(value, `${location}:needs`));
  const coverage = readOwn('coverage', (value) => parseCoverage(value, `${location}:coverage`));
  const release = readOwn('release', (value) => parseRelease(value, `${location}:release`));
  const parallel = readOwn('parallel', (value) => parseParallel(value, `${location}:parallel`));
  const allowFailure = readOwn('allow_failure', (value) => parseAllowFailure(value, location));
  const pagesPath = parsePagesPath(name, entry, location);
  readOwn('dast_configuration', (value) => checkDastConfiguration(value, `${location}:dast_configuration`));
  const secrets = readOwn('secrets', (value) => parseSecrets(value, `${location}:secrets`));
  checkNeededDependencies(ownKeys.dependencies, needs, location);
  readOwn('identity', (value) => checkIdentity(value, name, `${location}:identity`));
  return {
    name,
    ...ownKeys,
    stage,
    only,
    except,
    rules,
    variables: variables ?? [],
    inherits: inherit.variables,
    environment,
    needs,
    instanceNeeds: null,
    parallel,
    allowFailure,
    tags: inherited.tags ?? [],
    timeout: inherited.timeout,
    interruptible: inherited.interruptible ?? false,
    options: {
      before_script: inherited.before_script ?? [],
      script,
      after_script: inherited.after_script,
      image: inherited.image,
      services: inherited.services ?? [],
      cache: inherited.cache ?? [],
      artifacts: pagesPath === null ? inherited.artifacts : addPath(inherited.artifacts, pagesPath),
      retry: inherited.retry,
      hooks: inherited.hooks ?? {},
      coverage,
      manual_confirmation: readOwn('manual_confirmation', (value) =>
        parseString(value, location, 'manual confirmation'),
      ),
      id_tokens: inherited.id_tokens,
      release,
      secrets,
    },
  };
}

/**
 * Parses the keys that `default` may set. `location`: the location of the job or of `default`; empty for the deprecated
 * top-level keys.
 */
export function parseInheritedKeys(read: KeywordReader, location: string) {
  const at = (key: string) => (location === '' ? key : `${location}:${key}`);
  const readCommands = (key: string) => read(key, (value) => parseCommands(value, at(key)));
  return {
    before_script: readCommands('before_script'),
    after_script: readCommands('after_script'),
    hooks: read('hooks', (value) => parseHooks(value, at('hooks'))),
    cache: read('cache', (value) => parseCaches(value, location)),
    image: read('image', (value) => parseImage(value, at('image'))),
    services: read('services', (value) => parseServices(value, at('services'))),
    timeout: read('timeout', (value) => parseDurationKeyword(value, at('timeout'), 'config', MAX_TIMEOUT_SECONDS)),
    retry: read('retry', parseRetry),
    tags: read('tags', (value) => parseTags(value, at('tags'))),
    artifacts: read('artifacts', (value) => parseArtifacts(value, at('artifacts'))),
    interruptible: read('interruptible', (value) => parseBoolean(value, at('interruptible'), 'config')),
    id_tokens: read('id_tokens', (value) => parseIdTokens(value, at('id_tokens'))),
  };
}

/** Checks which keys a job has, and parses those without their own location. */
function parseOwnKeys(name: string, entry: CiMap, location: string) {
  const read: KeywordReader = (key, parse) => parseOptional(entry, key, null, parse);
  checkNotBlank(name, location, 'name');
  if (name.length > MAX_NAME_LENGTH)
    throw configError(location, `name is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
  checkExclusiveKeys(entry, location, ['script', 'trigger']);
  const hasRules = isPresent(entry.get('rules'));
  const excludedKeys = ['only', 'except', 'start_in'].filter((key) => hasRules && isPresent(entry.get(key)));
  if (excludedKeys.length > 0)
    throw configError(location, `config key may not be used with \`rules\`: ${excludedKeys.join(', ')}`);
  read('extends', (value) => parseStringOrStrings(value, location, 'extends'));
  read('rules', (value) => checkJobRules(value, location));
  const resourceGroup = read('resource_group', (value) => parseString(value, location, 'resource group'));
  checkKnownKeys(entry, location, JOB_KEYS);
  for (const key of ['script', 'before_script', 'after_script']) checkExclusiveKeys(entry, location, [key, 'run']);
  if (entry.has('run')) throw configError(location, 'config run steps are not supported');
  checkNotBlank(entry.get('script'), location, 'script');
  const when = read('when', (value) => parseOneOf(value, location, 'when', WHENS));
  const dependencies = read('dependencies', (value) => parseStrings(value, location, 'dependencies'));
  read('allow_failure', (value) => {
    if (!isMap(value)) parseAllowFailure(value, location);
  });
  read('manual_confirmation', (value) => parseString(value, location, 'manual confirmation'));
  const startIn = parseStartIn(entry, when, location);
  if (!isBlank(entry.get('publish')) && !isPagesJob(name, entry))
    throw configError(location, 'publish can only be used within a `pages` job');
  return { when, startIn, dependencies, resourceGroup };
}

function parseStartIn(entry: CiMap, when: JobWhen | null, location: string): number | null {
  const value = entry.get('start_in');
  const seconds = when === 'delayed' ? parseDurationKeyword(value, location, 'start in', MAX_START_IN_SECONDS) : null;
  if ((seconds === null || entry.has('rules')) && !isBlank(value))
    throw configError(location, 'start in must be blank');
  return seconds;
}

/** Throws if artifacts come from a job that is not needed. */
function checkNeededDependencies(
  dependencies: readonly string[] | null,
  needs: readonly CiJobNeed[] | null,
  location: string,
): void {
  if (!dependencies || !needs || needs.length === 0) return;
  const names = new Set(needs.map(({ job }) => job));
  const missing = dependencies.filter((dependency) => !names.has(dependency));
  if (missing.length > 0) throw configError(location, `dependencies the ${missing.join(', ')} should be part of needs`);
}

function parseTags(value: CiValue, location: string): string[] {
  const tags = [...new Set(parseStrings(value, location))];
  if (tags.length >= MAX_TAGS) throw configError(location, `config must be less than the limit of ${MAX_TAGS} tags`);
  return tags;
}

function parseCoverage(value: CiValue, location: string): string {
  const source = typeof value === 'string' ? parseRegexLiteral(value) : null;
  if (source === null || typeof compileRegex(source) === 'string')
    throw configError(location, 'config must be a regular expression with re2 syntax');
  return value as string;
}

function parseHooks(value: CiValue, location: string): JobOptions['hooks'] {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['pre_get_sources_script']));
  const script = map.get('pre_get_sources_script');
  return isPresent(script)
    ? { pre_get_sources_script: parseCommands(script, `${location}:pre_get_sources_script`) }
    : {};
}

const PAGES_KEYS = new Set(['path_prefix', 'expire_in', 'publish']);

/** A job called `pages` publishes pages unless it says `pages: false`. */
function isPagesJob(name: string, entry: CiMap): boolean {
  const pages = entry.get('pages');
  return !isBlank(pages) || (name === 'pages' && pages !== false);
}

/** Returns the path that the job publishes, or null if it publishes no pages. */
function parsePagesPath(name: string, entry: CiMap, location: string): string | null {
  const publish = parseOptional(entry, 'publish', null, (value) => parseString(value, `${location}:publish`, 'config'));
  const pages = entry.get('pages') ?? null;
  const pagesPublish = pages === null ? null : parsePages(pages, `${location}:pages`);
  if (!isPagesJob(name, entry)) return null;
  if (publish !== null && pagesPublish !== null)
    throw typeError(`${name} job:`, `use either ${name}:publish or ${name}:pages:publish`);
  return pagesPublish ?? publish ?? 'public';
}

/** Checks the attributes of pages and returns the path that they publish. */
function parsePages(value: CiValue, location: string): string | null {
  if (typeof toBoolean(value) === 'boolean') return null;
  const map = parseMap(value, location, 'config should be a hash or a boolean value');
  checkKnownKeys(map, location, PAGES_KEYS);
  parseOptional(map, 'path_prefix', null, (each) => parseString(each, location, 'path prefix'));
  parseOptional(map, 'expire_in', null, (each) => {
    if (typeof each !== 'string' || !each.includes('$')) parseExpiry(each, location, 'expire in');
  });
  return parseOptional(map, 'publish', null, (each) => parseString(each, location, 'publish'));
}

function addPath(artifacts: JobArtifacts | null, path: string): JobArtifacts {
  const { paths } = artifacts ?? NO_ARTIFACTS;
  return { ...(artifacts ?? NO_ARTIFACTS), paths: paths.includes(path) ? paths : [...paths, path] };
}

interface Inherit {
  readonly defaults: (key: string) => boolean;
  readonly variables: (key: string) => boolean;
}

function parseInherit(value: CiValue, location: string): Inherit {
  if (!isPresent(value)) return { defaults: () => true, variables: () => true };
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['default', 'variables']));
  const createNameFilter = (key: string, parseNames: (names: CiValue, at: string) => readonly string[]) => {
    const setting = map.get(key);
    if (!isPresent(setting)) return () => true;
    const at = `${location}:${key}`;
    if (isArray(setting)) {
      const names = new Set(parseNames(setting, at));
      return (name: string) => names.has(name);
    }
    const all = toBoolean(setting);
    if (all === null) throw typeError(at, 'should be a bool or array of strings');
    return () => all;
  };
  return {
    defaults: createNameFilter('default', (names, at) => {
      parseStrings(names, at);
      return parseWords(names, at, 'config', DEFAULT_KEYS);
    }),
    variables: createNameFilter('variables', (names, at) => parseStrings(names, at)),
  };
}

const RELEASE_KEYS = new Set([
  ...['tag_name', 'tag_message', 'name', 'description', 'ref', 'released_at', 'milestones', 'assets'],
]);
const DATE_TIME = /^\d{4}-?\d\d-?\d\d(?:T\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** Characters that no name of a ref contains. */
const INVALID_REF = /[\s~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/;

function parseRelease(value: CiValue, location: string): unknown {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, RELEASE_KEYS);
  const getFilled = (key: string) => (isBlank(map.get(key)) ? null : map.get(key)!);
  const [tagMessage, milestones] = [getFilled('tag_message'), getFilled('milestones')];
  const [releasedAt, ref] = [map.get('released_at') ?? null, map.get('ref') ?? null];
  parseRequiredString(map.get('tag_name'), location, 'tag name');
  if (tagMessage !== null) parseString(tagMessage, location, 'tag message');
  parseRequiredString(map.get('description'), location, 'description');
  if (milestones !== null) parseStringOrStrings(milestones, location, 'milestones');
  if (releasedAt !== null && !(typeof releasedAt === 'string' && DATE_TIME.test(releasedAt)))
    throw configError(location, 'released at must be a valid datetime');
  if (ref !== null && (typeof ref !== 'string' || ref === '' || INVALID_REF.test(ref)))
    throw configError(location, 'ref must be a valid ref');
  const assets = map.get('assets') ?? null;
  if (assets !== null) checkAssets(parseMap(assets, `${location}:assets`), `${location}:assets`);
  return toJsonValue(map);
}

function checkAssets(map: CiMap, location: string): void {
  checkKnownKeys(map, location, new Set(['links']));
  const links = map.get('links') ?? null;
  if (!isArray(links) || !links.every(isMap)) throw configError(location, 'links should be an array of hashes');
  checkNotBlank(links, location, 'links');
}
