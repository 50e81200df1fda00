import type { TSchema } from 'typebox';
import { VISIBILITIES } from '../../../access/visibility.ts';
import { nullable } from '../../../http/endpoint/answers.ts';
import { optional, type Parameter } from '../../../http/parameters/declarations.ts';
import {
  boolean,
  commaArray,
  integer,
  integerIn,
  oneOf,
  type ParameterType,
  text,
} from '../../../http/parameters/types.ts';

/**
 * Every attribute of a project that its callers set (contract/planning.md §3.3 "Project attributes"), in the contract's
 * order. The parameters of POST and PUT, their at-least-one rule, what is stored and what is shown are read from here.
 */

/**
 * Where a value lives: `place`, its path and name, which move routes; `column`, of the project's row; `repository`, of the
 * repository's row; `stored`, in the JSON of what differs from the defaults; `old`, an old name of another attribute.
 */
type Home = 'place' | 'column' | 'repository' | 'stored' | 'old';

interface Attribute<T, H extends Home> {
  readonly home: H;
  readonly type: ParameterType<T>;
  /** Of stored ones: what counts while nothing else was set. */
  readonly fallback?: T | null;
  /** null clears it (blank text too, where it is stored); elsewhere null counts as not sent. */
  readonly clearable?: true;
  /** Shown to Maintainers only. */
  readonly maintainers?: true;
  /** Of old names: the attribute that is meant, and what the old value says about it. */
  readonly means?: { readonly name: string; readonly value: (old: never) => unknown };
}

const place = (): Attribute<string, 'place'> => ({ home: 'place', type: text });
const column = <T>(type: ParameterType<T>): Attribute<T, 'column'> => ({ home: 'column', type });
const repository = <T>(type: ParameterType<T>): Attribute<T, 'repository'> => ({ home: 'repository', type });
const stored = <T>(type: ParameterType<T>, fallback: NoInfer<T>): Attribute<T, 'stored'> => ({
  home: 'stored',
  type,
  fallback,
});
const maintainers = <T>(type: ParameterType<T>, fallback: NoInfer<T>): Attribute<T, 'stored'> => ({
  ...stored(type, fallback),
  maintainers: true,
});
const storedOrNull = <T>(type: ParameterType<T>): Attribute<T | null, 'stored'> => ({
  home: 'stored',
  type: type as ParameterType<T | null>,
  fallback: null,
  clearable: true,
});
const old = <T>(type: ParameterType<T>, name: string, value: (old: T) => unknown): Attribute<T, 'old'> => ({
  home: 'old',
  type,
  means: { name, value },
});

const level = oneOf('disabled', 'private', 'enabled');
/** The old form of a feature's level. */
const switchOf = (name: string) => old(boolean, name, (on) => (on ? 'enabled' : 'disabled'));

export const attributes = {
  name: place(),
  path: place(),
  description: { ...column(text), clearable: true },
  visibility: column(oneOf(...VISIBILITIES)),
  topics: column(commaArray(text)),
  tag_list: old(commaArray(text), 'topics', (topics) => topics),
  default_branch: repository(text),
  issues_enabled: switchOf('issues_access_level'),
  merge_requests_enabled: switchOf('merge_requests_access_level'),
  wiki_enabled: switchOf('wiki_access_level'),
  jobs_enabled: switchOf('builds_access_level'),
  snippets_enabled: switchOf('snippets_access_level'),
  issues_access_level: column(level),
  merge_requests_access_level: column(level),
  repository_access_level: column(level),
  builds_access_level: column(level),
  environments_access_level: column(level),
  wiki_access_level: column(level),
  forking_access_level: stored(level, 'enabled'),
  snippets_access_level: column(level),
  container_registry_access_level: stored(level, 'enabled'),
  releases_access_level: stored(level, 'enabled'),
  feature_flags_access_level: stored(level, 'enabled'),
  infrastructure_access_level: stored(level, 'enabled'),
  monitor_access_level: stored(level, 'enabled'),
  model_experiments_access_level: stored(level, 'enabled'),
  model_registry_access_level: stored(level, 'enabled'),
  analytics_access_level: stored(level, 'enabled'),
  pages_access_level: stored(level, 'private'),
  security_and_compliance_access_level: stored(level, 'private'),
  lfs_enabled: column(boolean),
  repository_read_only: repository(boolean),
  repository_storage: repository(text),
  shared_runners_enabled: stored(boolean, true),
  group_runners_enabled: maintainers(boolean, true),
  build_timeout: maintainers(integer, 3600),
  public_jobs: stored(boolean, true),
  public_builds: old(boolean, 'public_jobs', (on) => on),
  ci_config_path: storedOrNull(text),
  ci_default_git_depth: maintainers(integerIn({ least: 0, most: 1000 }), 20),
  allow_pipeline_trigger_approve_deployment: stored(boolean, false),
  ci_forward_deployment_enabled: maintainers(boolean, true),
  build_git_strategy: maintainers(oneOf('fetch', 'clone'), 'fetch'),
  auto_cancel_pending_pipelines: maintainers(oneOf('enabled', 'disabled'), 'enabled'),
  merge_method: stored(oneOf('merge', 'rebase_merge', 'ff'), 'merge'),
  squash_option: stored(oneOf('never', 'always', 'default_on', 'default_off'), 'default_off'),
  only_allow_merge_if_pipeline_succeeds: stored(boolean, false),
  allow_merge_on_skipped_pipeline: storedOrNull(boolean),
  only_allow_merge_if_all_discussions_are_resolved: stored(boolean, false),
  remove_source_branch_after_merge: stored(boolean, true),
  autoclose_referenced_issues: stored(boolean, true),
  merge_commit_template: storedOrNull(text),
  squash_commit_template: storedOrNull(text),
  suggestion_commit_message: storedOrNull(text),
  issue_branch_template: storedOrNull(text),
  request_access_enabled: stored(boolean, true),
  printing_merge_request_link_enabled: stored(boolean, true),
  resolve_outdated_diff_discussions: stored(boolean, false),
  packages_enabled: stored(boolean, true),
  container_registry_enabled: stored(boolean, true),
  service_desk_enabled: stored(boolean, false),
  enforce_auth_checks_on_uploads: stored(boolean, true),
  emails_enabled: stored(boolean, true),
  emails_disabled: old(boolean, 'emails_enabled', (off) => !off),
} as const satisfies Readonly<Record<string, Attribute<never, Home> | Attribute<unknown, Home>>>;

type Table = typeof attributes;
export type AttributeName = keyof Table;
type ValueOf<Name extends AttributeName> = Table[Name] extends { type: ParameterType<infer T> } ? T : never;
type NamesAt<H extends Home> = {
  [Name in AttributeName]: Table[Name] extends { home: H } ? Name : never;
}[AttributeName];

type StoredName = NamesAt<'stored'>;
/** The stored attributes of one project, each with its value or its default. */
type StoredAttributes = { readonly [Name in StoredName]: ValueOf<Name> };
/** What a caller sends: absent ones are not touched. */
export type AttributeValues = { readonly [Name in AttributeName]?: ValueOf<Name> | null | undefined };

export const attributeNames = Object.keys(attributes) as AttributeName[];

/** The parameters of POST and PUT /projects. */
export const attributeParams = Object.fromEntries(
  attributeNames.map((name) => [name, optional(attributes[name].type as ParameterType<unknown>)]),
) as unknown as { readonly [Name in AttributeName]: Parameter<ValueOf<Name>, 'optional'> };

const entries = Object.entries(attributes) as [AttributeName, Attribute<unknown, Home>][];
const storedEntries = entries.filter(([, { home }]) => home === 'stored') as [
  StoredName,
  Attribute<unknown, 'stored'>,
][];
const defaults = Object.fromEntries(storedEntries.map(([name, { fallback }]) => [name, fallback])) as StoredAttributes;

/** The stored attributes of a project's row. */
function storedAttributes(project: { readonly attributes: string }): StoredAttributes {
  return project.attributes === '{}' ? defaults : { ...defaults, ...JSON.parse(project.attributes) };
}

/** The same after changes, as the row holds them: only what differs from the defaults. */
export function withStored(attributesOfRow: string, changes: Partial<StoredAttributes>): string {
  const all = { ...storedAttributes({ attributes: attributesOfRow }), ...changes };
  const different = Object.entries(all).filter(([name, value]) => value !== defaults[name as StoredName]);
  return JSON.stringify(Object.fromEntries(different));
}

/** The sent attributes under their present names: an old name counts where its successor is not sent. */
export function sentAttributes(values: AttributeValues): AttributeValues {
  const sent: Record<string, unknown> = {};
  for (const [name, attribute] of entries) {
    const value = sentValue(attribute, values[name]);
    if (value === undefined) continue;
    const { means } = attribute;
    if (means === undefined) sent[name] = value;
    else if (values[means.name as AttributeName] == null) sent[means.name] = means.value(value as never);
  }
  return sent;
}

function sentValue({ clearable, home }: Attribute<unknown, Home>, value: unknown): unknown {
  if (clearable && home === 'stored' && value === '') return null;
  return value === null && !clearable ? undefined : value;
}

/** Of sent attributes those that live in the JSON. */
export function storedPart(sent: AttributeValues): Partial<StoredAttributes> {
  return Object.fromEntries(
    storedEntries.filter(([name]) => sent[name] !== undefined).map(([name]) => [name, sent[name]]),
  );
}

/** The stored attributes that a caller sees. */
export function shownAttributes(
  project: { readonly attributes: string },
  asMaintainer: boolean,
): Record<string, unknown> {
  const all: Readonly<Record<string, unknown>> = storedAttributes(project);
  return Object.fromEntries(
    storedEntries.filter(([, attribute]) => asMaintainer || !attribute.maintainers).map(([name]) => [name, all[name]]),
  );
}

const schemaOf = ({ type, clearable }: Attribute<unknown, Home>): TSchema =>
  clearable ? nullable(type.schema) : type.schema;

function schemasOf(wanted: (attribute: Attribute<unknown, Home>) => boolean): Record<string, TSchema> {
  const chosen = storedEntries.filter(([, attribute]) => wanted(attribute));
  return Object.fromEntries(chosen.map(([name, attribute]) => [name, schemaOf(attribute)]));
}

/** Fields of the wire shape that everybody sees, and those of Maintainers. */
export const everybodysFields = schemasOf(({ maintainers: theirs }) => !theirs);
export const maintainersFields = schemasOf(({ maintainers: theirs }) => theirs === true);
