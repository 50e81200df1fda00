import type { JobWhen } from '#database/tables/pipelines.ts';
import type { Patterns } from '../expressions/expression.ts';
import { type CiMap, type CiValue, isArray, plain } from '../yaml/values.ts';
import {
  booleanAt,
  booleanOf,
  commandsAt,
  durationAt,
  isGiven,
  knownKeys,
  mapAt,
  oneOfAt,
  onlyTextAt,
  textAt,
  textsAt,
  textsOrOneAt,
  wrong,
} from './checks.ts';
import {
  type AllowFailure,
  allowFailureAt,
  LONGEST_DELAY,
  type Need,
  needsAt,
  type Parallel,
  parallelAt,
} from './job-keywords.ts';
import {
  artifactsAt,
  cachesAt,
  environmentAt,
  hooksAt,
  imageAt,
  retryAt,
  servicesAt,
  variablesAt,
} from './keywords.ts';
import type { Environment, FileVariable, JobOptions } from './options.ts';
import { type Policy, policyAt } from './policies.ts';
import { jobRulesAt, type Rule } from './rules.ts';

/** What the file says of a job, checked. */
export interface Job {
  readonly name: string;
  readonly stage: string;
  /** Null: not said. */
  readonly when: JobWhen | null;
  readonly startIn: number | null;
  readonly allowFailure: AllowFailure | null;
  readonly rules: readonly Rule[] | null;
  readonly only: Policy | null;
  readonly except: Policy | null;
  readonly needs: readonly Need[] | null;
  readonly dependencies: readonly string[] | null;
  readonly parallel: Parallel | null;
  readonly tags: readonly string[];
  readonly environment: Environment | null;
  readonly resourceGroup: string | null;
  readonly timeout: number | null;
  readonly interruptible: boolean;
  readonly variables: readonly FileVariable[];
  /** Which global variables it takes over. */
  readonly inherits: (key: string) => boolean;
  readonly options: Pick<JobOptions, PassedOn>;
}

/** What a pipeline takes over as it stands. */
type PassedOn =
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

/** What `default` may say, for every job that doesn't say it itself. */
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
const LONGEST_NAME = 255;
const MOST_TAGS = 50;
const LONGEST_TIMEOUT = 30 * 86_400;

/** Reads a job; throws a CiFileInvalid for the first thing that is wrong. */
export function jobAt(name: string, entry: CiMap, defaults: CiMap, patterns: Patterns): Job {
  const where = `jobs:${name}`;
  checkKeys(name, entry, where);
  const inherit = inheritAt(entry.get('inherit') ?? null, `${where}:inherit`);
  const given = (key: string): CiValue => {
    const own = entry.get(key);
    return own !== undefined || !inherit.defaults(key) ? (own ?? null) : (defaults.get(key) ?? null);
  };
  const read = <T>(key: string, reader: (value: Exclude<CiValue, null>) => T): T | null => {
    const value = given(key);
    return isGiven(value) ? reader(value) : null;
  };
  const when = read('when', (value) => oneOfAt(value, where, 'when', WHENS));
  return {
    name,
    when,
    allowFailure: read('allow_failure', (value) => allowFailureAt(value, where)),
    startIn: startInAt(given('start_in'), when, where),
    dependencies: read('dependencies', (value) => textsAt(value, where, 'dependencies should be an array of strings')),
    resourceGroup: read('resource_group', (value) => textAt(value, where, 'resource group')),
    stage: read('stage', (value) => onlyTextAt(value, `${where}:stage`, 'config')) ?? 'test',
    options: optionsOf(read, where),
    variables: read('variables', (value) => variablesAt(value, `${where}:variables`)) ?? [],
    rules: read('rules', (value) => jobRulesAt(value, where, patterns)),
    only: read('only', (value) => policyAt(value, `${where}:only`, patterns)),
    except: read('except', (value) => policyAt(value, `${where}:except`, patterns)),
    needs: read('needs', (value) => needsAt(value, `${where}:needs`)),
    parallel: read('parallel', (value) => parallelAt(value, `${where}:parallel`)),
    tags: read('tags', (value) => tagsAt(value, `${where}:tags`)) ?? [],
    environment: read('environment', (value) => environmentAt(value, `${where}:environment`)),
    timeout: read('timeout', (value) => durationAt(value, `${where}:timeout`, 'config', LONGEST_TIMEOUT)),
    interruptible: read('interruptible', (value) => booleanAt(value, `${where}:interruptible`, 'config')) ?? false,
    inherits: inherit.variables,
  };
}

function checkKeys(name: string, entry: CiMap, where: string): void {
  knownKeys(entry, where, JOB_KEYS);
  if (isGiven(entry.get('rules'))) {
    const refused = ['only', 'except'].filter((key) => entry.has(key));
    if (refused.length > 0) throw wrong(where, `config key may not be used with \`rules\`: ${refused.join(', ')}`);
  }
  if (name.length > LONGEST_NAME) throw wrong(where, `name is too long (maximum is ${LONGEST_NAME} characters)`);
  const bases = entry.get('extends');
  if (isGiven(bases)) textsOrOneAt(bases, where, 'extends');
}

type Read = <T>(key: string, reader: (value: Exclude<CiValue, null>) => T) => T | null;

function optionsOf(read: Read, where: string): Job['options'] {
  const commands = (key: string) => read(key, (value) => commandsAt(value, `${where}:${key}`));
  const map = (key: string) => read(key, (value) => plain(mapAt(value, `${where}:${key}`)));
  return {
    before_script: commands('before_script') ?? [],
    script: commands('script') ?? [],
    after_script: commands('after_script'),
    image: read('image', (value) => imageAt(value, `${where}:image`)),
    services: read('services', (value) => servicesAt(value, `${where}:services`)) ?? [],
    cache: read('cache', (value) => cachesAt(value, `${where}:cache`)) ?? [],
    artifacts: read('artifacts', (value) => artifactsAt(value, `${where}:artifacts`)),
    retry: read('retry', retryAt),
    hooks: read('hooks', (value) => hooksAt(value, `${where}:hooks`)) ?? {},
    coverage: read('coverage', (value) => coverageAt(value, `${where}:coverage`)),
    manual_confirmation: read('manual_confirmation', (value) => textAt(value, where, 'manual confirmation')),
    id_tokens: map('id_tokens'),
    release: map('release'),
    secrets: map('secrets'),
  };
}

function startInAt(value: CiValue, when: JobWhen | null, where: string): number | null {
  if (when === 'delayed') return durationAt(value, where, 'start in', LONGEST_DELAY);
  if (isGiven(value)) throw wrong(where, 'start in must be blank');
  return null;
}

function tagsAt(value: CiValue, where: string): string[] {
  const tags = textsAt(value, where, 'config should be an array of strings');
  if (tags.length >= MOST_TAGS) throw wrong(where, `config must be less than the limit of ${MOST_TAGS} tags`);
  return [...new Set(tags)];
}

function coverageAt(value: CiValue, where: string): string {
  const isPattern = typeof value === 'string' && /^\/.*\/$/s.test(value);
  if (!isPattern) throw wrong(where, 'config must be a regular expression');
  return value;
}

interface Inherit {
  readonly defaults: (key: string) => boolean;
  readonly variables: (key: string) => boolean;
}

function inheritAt(value: CiValue, where: string): Inherit {
  if (!isGiven(value)) return { defaults: () => true, variables: () => true };
  const map = mapAt(value, where);
  knownKeys(map, where, new Set(['default', 'variables']));
  const which = (key: string) => {
    const said = map.get(key);
    if (!isGiven(said)) return () => true;
    if (isArray(said)) {
      const names = new Set(textsAt(said, `${where}:${key}`, 'config should be an array of strings'));
      return (name: string) => names.has(name);
    }
    const all = booleanOf(said);
    if (all === null) throw wrong(`${where}:${key}`, 'config should be a boolean or an array of strings');
    return () => all;
  };
  return { defaults: which('default'), variables: which('variables') };
}
