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
const MAX_TIMEOUT_SECONDS = 30 * 86_400;

/** Parses a job; throws a CiFileError for the first problem. */
export function parseJob(name: string, entry: CiMap, defaults: CiMap, patterns: PatternCache): CiJob {
  const where = `jobs:${name}`;
  checkKeys(name, entry, where);
  const inherit = parseInherit(entry.get('inherit') ?? null, `${where}:inherit`);
  const getValue = (key: string): CiValue => {
    const ownValue = entry.get(key);
    return ownValue !== undefined || !inherit.defaults(key) ? (ownValue ?? null) : (defaults.get(key) ?? null);
  };
  const read = <T>(key: string, reader: (value: Exclude<CiValue, null>) => T): T | null => {
    const value = getValue(key);
    return isPresent(value) ? reader(value) : null;
  };
  const when = read('when', (value) => parseOneOf(value, where, 'when', WHENS));
  return {
    name,
    when,
    allowFailure: read('allow_failure', (value) => parseAllowFailure(value, where)),
    startIn: parseStartIn(getValue('start_in'), when, where),
    dependencies: read('dependencies', (value) =>
      parseStrings(value, where, 'dependencies should be an array of strings'),
    ),
    resourceGroup: read('resource_group', (value) => parseString(value, where, 'resource group')),
    stage: read('stage', (value) => parseStrictString(value, `${where}:stage`, 'config')) ?? 'test',
    options: parseOptions(read, where),
    variables: read('variables', (value) => parseVariables(value, `${where}:variables`)) ?? [],
    rules: read('rules', (value) => parseJobRules(value, where, patterns)),
    only: read('only', (value) => parseRefPolicy(value, `${where}:only`, patterns)),
    except: read('except', (value) => parseRefPolicy(value, `${where}:except`, patterns)),
    needs: read('needs', (value) => parseNeeds(value, `${where}:needs`)),
    parallel: read('parallel', (value) => parseParallel(value, `${where}:parallel`)),
    tags: read('tags', (value) => parseTags(value, `${where}:tags`)) ?? [],
    environment: read('environment', (value) => parseEnvironment(value, `${where}:environment`)),
    timeout: read('timeout', (value) => parseDurationKeyword(value, `${where}:timeout`, 'config', MAX_TIMEOUT_SECONDS)),
    interruptible: read('interruptible', (value) => parseBoolean(value, `${where}:interruptible`, 'config')) ?? false,
    inherits: inherit.variables,
  };
}

function checkKeys(name: string, entry: CiMap, where: string): void {
  checkKnownKeys(entry, where, JOB_KEYS);
  if (isPresent(entry.get('rules'))) {
    const conflictingKeys = ['only', 'except'].filter((key) => entry.has(key));
    if (conflictingKeys.length > 0)
      throw configError(where, `config key may not be used with \`rules\`: ${conflictingKeys.join(', ')}`);
  }
  if (name.length > MAX_NAME_LENGTH)
    throw configError(where, `name is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
  const bases = entry.get('extends');
  if (isPresent(bases)) parseStringOrStrings(bases, where, 'extends');
}

type KeywordReader = <T>(key: string, reader: (value: Exclude<CiValue, null>) => T) => T | null;

function parseOptions(read: KeywordReader, where: string): CiJob['options'] {
  const commands = (key: string) => read(key, (value) => parseCommands(value, `${where}:${key}`));
  const map = (key: string) => read(key, (value) => toJsonValue(parseMap(value, `${where}:${key}`)));
  return {
    before_script: commands('before_script') ?? [],
    script: commands('script') ?? [],
    after_script: commands('after_script'),
    image: read('image', (value) => parseImage(value, `${where}:image`)),
    services: read('services', (value) => parseServices(value, `${where}:services`)) ?? [],
    cache: read('cache', (value) => parseCaches(value, `${where}:cache`)) ?? [],
    artifacts: read('artifacts', (value) => parseArtifacts(value, `${where}:artifacts`)),
    retry: read('retry', parseRetry),
    hooks: read('hooks', (value) => parseHooks(value, `${where}:hooks`)) ?? {},
    coverage: read('coverage', (value) => parseCoverage(value, `${where}:coverage`)),
    manual_confirmation: read('manual_confirmation', (value) => parseString(value, where, 'manual confirmation')),
    id_tokens: map('id_tokens'),
    release: map('release'),
    secrets: map('secrets'),
  };
}

function parseStartIn(value: CiValue, when: JobWhen | null, where: string): number | null {
  if (when === 'delayed') return parseDurationKeyword(value, where, 'start in', MAX_DELAY_SECONDS);
  if (isPresent(value)) throw configError(where, 'start in must be blank');
  return null;
}

function parseTags(value: CiValue, where: string): string[] {
  const tags = parseStrings(value, where, 'config should be an array of strings');
  if (tags.length >= MAX_TAGS) throw configError(where, `config must be less than the limit of ${MAX_TAGS} tags`);
  return [...new Set(tags)];
}

function parseCoverage(value: CiValue, where: string): string {
  const isPattern = typeof value === 'string' && /^\/.*\/$/s.test(value);
  if (!isPattern) throw configError(where, 'config must be a regular expression');
  return value;
}

interface Inherit {
  readonly defaults: (key: string) => boolean;
  readonly variables: (key: string) => boolean;
}

function parseInherit(value: CiValue, where: string): Inherit {
  if (!isPresent(value)) return { defaults: () => true, variables: () => true };
  const map = parseMap(value, where);
  checkKnownKeys(map, where, new Set(['default', 'variables']));
  const createNameFilter = (key: string) => {
    const setting = map.get(key);
    if (!isPresent(setting)) return () => true;
    if (isArray(setting)) {
      const names = new Set(parseStrings(setting, `${where}:${key}`, 'config should be an array of strings'));
      return (name: string) => names.has(name);
    }
    const all = toBoolean(setting);
    if (all === null) throw configError(`${where}:${key}`, 'config should be a boolean or an array of strings');
    return () => all;
  };
  return { defaults: createNameFilter('default'), variables: createNameFilter('variables') };
}
