import type { JobWhen } from '#database/tables/pipelines.ts';
import type { PatternCache } from '../expressions/expression.ts';
import { type CiMap, type CiValue, isArray, toJsonValue } from '../yaml/values.ts';
import {
  checkKnownKeys,
  configError,
  isPresent,
  parseBoolean,
  parseCommands,
  parseDurationKeyword,
  parseMap,
  parseOneOf,
  parseStrictString,
  parseString,
  parseStringOrStrings,
  parseStrings,
  toBoolean,
} from './checks.ts';
import {
  type AllowFailure,
  type CiJobNeed,
  MAX_DELAY_SECONDS,
  type Parallel,
  parseAllowFailure,
  parseNeeds,
  parseParallel,
} from './job-keywords.ts';
import {
  parseArtifacts,
  parseCaches,
  parseEnvironment,
  parseHooks,
  parseImage,
  parseRetry,
  parseServices,
  parseVariables,
} from './keywords.ts';
import type { FileVariable, JobEnvironment, JobOptions } from './options.ts';
import { parseRefPolicy, type RefPolicy } from './policies.ts';
import { type CiRule, parseJobRules } from './rules.ts';

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
  ...['secrets', 'pages', 'publish', 'manual_confirmation', 'identity'],
]);

const WHENS = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
const MAX_NAME_LENGTH = 255;
const MAX_TAGS = 50;
/** A month of 30.44 days. */
const MAX_TIMEOUT_SECONDS = 2_629_745;

/** Parses a job; throws a CiFileError for the first problem. */
export function parseJob(name: string, entry: CiMap, defaults: CiMap, patterns: PatternCache): CiJob {
  const location = `jobs:${name}`;
  checkKeys(name, entry, location);
  const inherit = parseInherit(entry.get('inherit') ?? null, `${location}:inherit`);
  const getValue = (key: string): CiValue => {
    const ownValue = entry.get(key);
    return ownValue !== undefined || !inherit.defaults(key) ? (ownValue ?? null) : (defaults.get(key) ?? null);
  };
  const read = <T>(key: string, reader: (value: Exclude<CiValue, null>) => T): T | null => {
    const value = getValue(key);
    return isPresent(value) ? reader(value) : null;
  };
  const when = read('when', (value) => parseOneOf(value, location, 'when', WHENS));
  return {
    name,
    when,
    allowFailure: read('allow_failure', (value) => parseAllowFailure(value, location)),
    startIn: parseStartIn(getValue('start_in'), when, location),
    dependencies: read('dependencies', (value) =>
      parseStrings(value, location, 'dependencies should be an array of strings'),
    ),
    resourceGroup: read('resource_group', (value) => parseString(value, location, 'resource group')),
    stage: read('stage', (value) => parseStrictString(value, `${location}:stage`, 'config')) ?? 'test',
    options: parseOptions(read, location),
    variables: read('variables', (value) => parseVariables(value, `${location}:variables`)) ?? [],
    rules: read('rules', (value) => parseJobRules(value, location, patterns)),
    only: read('only', (value) => parseRefPolicy(value, `${location}:only`, patterns)),
    except: read('except', (value) => parseRefPolicy(value, `${location}:except`, patterns)),
    needs: read('needs', (value) => parseNeeds(value, `${location}:needs`)),
    parallel: read('parallel', (value) => parseParallel(value, `${location}:parallel`)),
    tags: read('tags', (value) => parseTags(value, `${location}:tags`)) ?? [],
    environment: read('environment', (value) => parseEnvironment(value, `${location}:environment`)),
    timeout: read('timeout', (value) =>
      parseDurationKeyword(value, `${location}:timeout`, 'config', MAX_TIMEOUT_SECONDS),
    ),
    interruptible:
      read('interruptible', (value) => parseBoolean(value, `${location}:interruptible`, 'config')) ?? false,
    inherits: inherit.variables,
  };
}

function checkKeys(name: string, entry: CiMap, location: string): void {
  checkKnownKeys(entry, location, JOB_KEYS);
  if (isPresent(entry.get('rules'))) {
    const conflictingKeys = ['only', 'except'].filter((key) => entry.has(key));
    if (conflictingKeys.length > 0)
      throw configError(location, `config key may not be used with \`rules\`: ${conflictingKeys.join(', ')}`);
  }
  if (name.length > MAX_NAME_LENGTH)
    throw configError(location, `name is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
  const bases = entry.get('extends');
  if (isPresent(bases)) parseStringOrStrings(bases, location, 'extends');
}

type KeywordReader = <T>(key: string, reader: (value: Exclude<CiValue, null>) => T) => T | null;

function parseOptions(read: KeywordReader, location: string): CiJob['options'] {
  const commands = (key: string) => read(key, (value) => parseCommands(value, `${location}:${key}`));
  const map = (key: string) => read(key, (value) => toJsonValue(parseMap(value, `${location}:${key}`)));
  return {
    before_script: commands('before_script') ?? [],
    script: commands('script') ?? [],
    after_script: commands('after_script'),
    image: read('image', (value) => parseImage(value, `${location}:image`)),
    services: read('services', (value) => parseServices(value, `${location}:services`)) ?? [],
    cache: read('cache', (value) => parseCaches(value, `${location}:cache`)) ?? [],
    artifacts: read('artifacts', (value) => parseArtifacts(value, `${location}:artifacts`)),
    retry: read('retry', parseRetry),
    hooks: read('hooks', (value) => parseHooks(value, `${location}:hooks`)) ?? {},
    coverage: read('coverage', (value) => parseCoverage(value, `${location}:coverage`)),
    manual_confirmation: read('manual_confirmation', (value) => parseString(value, location, 'manual confirmation')),
    id_tokens: map('id_tokens'),
    release: map('release'),
    secrets: map('secrets'),
  };
}

function parseStartIn(value: CiValue, when: JobWhen | null, location: string): number | null {
  if (when === 'delayed') return parseDurationKeyword(value, location, 'start in', MAX_DELAY_SECONDS);
  if (isPresent(value)) throw configError(location, 'start in must be blank');
  return null;
}

function parseTags(value: CiValue, location: string): string[] {
  const tags = parseStrings(value, location, 'config should be an array of strings');
  if (tags.length >= MAX_TAGS) throw configError(location, `config must be less than the limit of ${MAX_TAGS} tags`);
  return [...new Set(tags)];
}

function parseCoverage(value: CiValue, location: string): string {
  const isPattern = typeof value === 'string' && /^\/.*\/$/s.test(value);
  if (!isPattern) throw configError(location, 'config must be a regular expression');
  return value;
}

interface Inherit {
  readonly defaults: (key: string) => boolean;
  readonly variables: (key: string) => boolean;
}

function parseInherit(value: CiValue, location: string): Inherit {
  if (!isPresent(value)) return { defaults: () => true, variables: () => true };
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['default', 'variables']));
  const createNameFilter = (key: string) => {
    const setting = map.get(key);
    if (!isPresent(setting)) return () => true;
    if (isArray(setting)) {
      const names = new Set(parseStrings(setting, `${location}:${key}`, 'config should be an array of strings'));
      return (name: string) => names.has(name);
    }
    const all = toBoolean(setting);
    if (all === null) throw configError(`${location}:${key}`, 'config should be a boolean or an array of strings');
    return () => all;
  };
  return { defaults: createNameFilter('default'), variables: createNameFilter('variables') };
}
