import { validateTopicCharacters } from '#api/namespaces/topics/index.ts';
import { VISIBILITIES } from '#authorization/visibility.ts';
import { describe, optional, type Parameter } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { domainValidatedText, longText, refName, shortText, string } from '#http/parameters/texts.ts';
import { anyValue, boolean, commaSeparated, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { validateRegexSyntax } from '#text/safe-regex.ts';
import { ATTRIBUTE_DESCRIPTIONS } from './descriptions.ts';
import { expirationPolicyInput, mergeExpirationPolicy, validateExpirationPolicy } from './expiration-policy.ts';

// Validation of single attributes of projects: each function returns errors by field (contract/planning.md §3.3).

function validateTopics(topics: readonly string[]): FieldErrors {
  return { topics: [...new Set(topics.flatMap(validateTopicCharacters))] };
}

const MIN_TIMEOUT_SECONDS = 600;
/** One month, in seconds (exclusive). */
const TIMEOUT_LIMIT_SECONDS = 2_629_746;

function validateBuildTimeout(seconds: number): FieldErrors {
  if (seconds >= MIN_TIMEOUT_SECONDS && seconds < TIMEOUT_LIMIT_SECONDS) return {};
  return { build_timeout: ['needs to be between 10 minutes and 1 month'] };
}

/** Returns the error of the maximum size of artifacts, by field. */
export function validateArtifactSize(mebibytes: number): FieldErrors {
  return mebibytes > 0 ? {} : { max_artifacts_size: ['must be greater than 0'] };
}

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 31_536_000;

function validatePipelineAge(seconds: number): FieldErrors {
  if (seconds >= DAY_SECONDS && seconds <= YEAR_SECONDS) return {};
  return { 'ci_cd_settings.delete_pipelines_in_seconds': ['must be between 1 day and 1 year'] };
}

/** Parts that the claim `sub` of ID tokens may have. */
const SUB_CLAIM_COMPONENTS = ['project_path', 'ref_type', 'ref', 'environment_protected', 'deployment_tier'];

function validateSubClaim(components: readonly string[]): FieldErrors {
  const unknownComponents = components.filter((component) => !SUB_CLAIM_COMPONENTS.includes(component));
  return {
    'ci_cd_settings.id_token_sub_claim_components': [
      ...(components[0] === 'project_path' ? [] : ['project_path must be the first element of the sub claim']),
      ...unknownComponents.map((component) => `${component} is not an allowed sub claim component`),
    ],
  };
}

const MAX_TITLE_REGEX_LENGTH = 255;

/** Returns errors of a title expression. The syntax is checked only if the length is valid. */
function validateTitleRegex(expression: string): FieldErrors {
  const tooLong = [...expression].length > MAX_TITLE_REGEX_LENGTH;
  return {
    merge_request_title_regex: tooLong ? ['is too long (maximum is 255 characters)'] : validateRegexSyntax(expression),
  };
}

/**
 * All attributes of a project that callers can set (contract/planning.md §3.3 "Project attributes"), in the contract's
 * order. The parameters of POST and PUT, the at-least-one rule, the stored values and the response fields are derived
 * from this table.
 */

/**
 * Where a value is stored:
 * - `route`: in the route of the project (path and name)
 * - `column`, `repository`: in a column of the project or of its repository
 * - `relation`: in rows of another table
 * - `stored`: in the JSON of the project, which contains the values that differ from the defaults
 * - `alias`: under another name; the attribute is a former name of that one
 * - `ignored`, `unsupported`: nowhere (contract/conventions.md §3 "Attributes without a meaning here"); `unsupported` attributes would
 *   enable a protection that nothing enforces, so they are rejected unless they are off
 */
type AttributeKind = 'route' | 'column' | 'relation' | 'repository' | 'stored' | 'alias' | 'unsupported' | 'ignored';

/** Declaration of an attribute: how it is parsed, validated, stored and serialized. */
export interface ProjectAttribute<T = unknown, Kind extends AttributeKind = AttributeKind> {
  readonly kind: Kind;
  readonly type: ParameterType<T>;
  /** The default of a stored attribute. */
  readonly defaultValue?: T | null;
  /** Null clears the value (and so does blank text, for stored attributes); otherwise null counts as omitted. */
  readonly clearable?: true;
  /** Null resets the attribute to its default. */
  readonly resettable?: true;
  /** Visible to Maintainers only. */
  readonly maintainersOnly?: true;
  /** Ignored unless the caller is an administrator. */
  readonly administratorsOnly?: true;
  /** Ignored on tier free. */
  readonly premiumOnly?: true;
  /** Not serialized under this name, because another response field contains it. */
  readonly hidden?: true;
  /** For objects: merges the fields in the request with the current value. `now`: the timestamp of the change. */
  readonly merge?: (changes: never, current: never, now: string) => unknown;
  /** Returns errors of a value that its type accepts. */
  readonly errors?: (value: never) => FieldErrors;
  /** For aliases: the current attribute, and the value that it gets; undefined means no change. */
  readonly aliasOf?: { readonly name: string; readonly value: AliasValue };
}

/** Converts the value of an alias to that of the current attribute. `current`: the stored attributes before the change. */
type AliasValue<T = never> = (value: T, current: Readonly<Record<string, unknown>>) => unknown;

const route = (): ProjectAttribute<string, 'route'> => ({ kind: 'route', type: domainValidatedText(255) });
const column = <T>(type: ParameterType<T>): ProjectAttribute<T, 'column'> => ({ kind: 'column', type });
const relation = <T>(type: ParameterType<T>): ProjectAttribute<T, 'relation'> => ({ kind: 'relation', type });
const repository = <T>(type: ParameterType<T>): ProjectAttribute<T, 'repository'> => ({ kind: 'repository', type });
const stored = <T>(type: ParameterType<T>, fallback: NoInfer<T>): ProjectAttribute<T, 'stored'> => ({
  kind: 'stored',
  type,
  defaultValue: fallback,
});
const storedForMaintainers = <T>(type: ParameterType<T>, fallback: NoInfer<T>) => ({
  ...stored(type, fallback),
  maintainersOnly: true as const,
});
const storedOrNull = <T>(type: ParameterType<T>): ProjectAttribute<T | null, 'stored'> => ({
  kind: 'stored',
  type: type as ParameterType<T | null>,
  defaultValue: null,
  clearable: true,
});
const alias = <T>(type: ParameterType<T>, name: string, value: AliasValue<T>): ProjectAttribute<T, 'alias'> => ({
  kind: 'alias',
  type,
  aliasOf: { name, value },
});
const unsupported: ProjectAttribute<unknown, 'unsupported'> = { kind: 'unsupported', type: anyValue };
const ignored: ProjectAttribute<unknown, 'ignored'> = { kind: 'ignored', type: anyValue };

/** The largest 32-bit integer. */
const MAX_APPROVALS = 2_147_483_647;

const accessLevel = oneOf('disabled', 'private', 'enabled');
const accessLevelOrPublic = oneOf('disabled', 'private', 'enabled', 'public');
/** Returns the alias for the former boolean attribute of a feature's access level. */
const accessLevelSwitch = (name: string) => alias(boolean, name, (on) => (on ? 'enabled' : 'disabled'));

/** The table of attributes. */
export const PROJECT_ATTRIBUTES = {
  name: route(),
  path: route(),
  description: { ...column(longText), clearable: true },
  visibility: column(oneOf(...VISIBILITIES)),
  topics: { ...relation(commaSeparated(shortText)), errors: validateTopics },
  tag_list: alias(commaSeparated(shortText), 'topics', (topics) => topics),
  default_branch: repository(refName),
  issues_enabled: accessLevelSwitch('issues_access_level'),
  merge_requests_enabled: accessLevelSwitch('merge_requests_access_level'),
  wiki_enabled: accessLevelSwitch('wiki_access_level'),
  jobs_enabled: accessLevelSwitch('builds_access_level'),
  snippets_enabled: accessLevelSwitch('snippets_access_level'),
  issues_access_level: column(accessLevel),
  merge_requests_access_level: column(accessLevel),
  repository_access_level: column(accessLevel),
  builds_access_level: column(accessLevel),
  environments_access_level: column(accessLevel),
  wiki_access_level: column(accessLevel),
  forking_access_level: stored(accessLevel, 'enabled'),
  snippets_access_level: column(accessLevel),
  container_registry_access_level: stored(accessLevel, 'enabled'),
  releases_access_level: stored(accessLevel, 'enabled'),
  feature_flags_access_level: stored(accessLevel, 'enabled'),
  infrastructure_access_level: stored(accessLevel, 'enabled'),
  monitor_access_level: stored(accessLevel, 'enabled'),
  model_experiments_access_level: stored(accessLevel, 'enabled'),
  model_registry_access_level: stored(accessLevel, 'enabled'),
  analytics_access_level: stored(accessLevel, 'enabled'),
  requirements_access_level: stored(accessLevel, 'enabled'),
  package_registry_access_level: stored(accessLevelOrPublic, 'enabled'),
  pages_access_level: stored(accessLevelOrPublic, 'private'),
  security_and_compliance_access_level: stored(accessLevel, 'private'),
  lfs_enabled: column(boolean),
  repository_read_only: { ...repository(boolean), administratorsOnly: true },
  repository_storage: { ...repository(string), administratorsOnly: true },
  shared_runners_enabled: stored(boolean, true),
  group_runners_enabled: storedForMaintainers(boolean, true),
  build_timeout: { ...storedForMaintainers(integer, 3600), errors: validateBuildTimeout },
  public_jobs: stored(boolean, true),
  public_builds: alias(boolean, 'public_jobs', (on) => on),
  ci_config_path: storedOrNull(string),
  ci_default_git_depth: storedForMaintainers(integerIn({ min: 0, max: 1000 }), 20),
  allow_pipeline_trigger_approve_deployment: stored(boolean, false),
  ci_forward_deployment_enabled: storedForMaintainers(boolean, true),
  build_git_strategy: storedForMaintainers(oneOf('fetch', 'clone'), 'fetch'),
  auto_cancel_pending_pipelines: storedForMaintainers(oneOf('enabled', 'disabled'), 'enabled'),
  ci_separated_caches: storedForMaintainers(boolean, true),
  keep_latest_artifact: storedForMaintainers(boolean, true),
  max_artifacts_size: { ...storedOrNull(integer), administratorsOnly: true, errors: validateArtifactSize },
  ci_pipeline_variables_minimum_override_role: storedForMaintainers(
    oneOf('no_one_allowed', 'developer', 'maintainer', 'owner'),
    'developer',
  ),
  restrict_user_defined_variables: alias(boolean, 'ci_pipeline_variables_minimum_override_role', (on, current) => {
    if (!on) return 'developer';
    // A role that is already stricter stays.
    return current.ci_pipeline_variables_minimum_override_role === 'developer' ? 'maintainer' : undefined;
  }),
  ci_restrict_pipeline_cancellation_role: {
    ...storedForMaintainers(oneOf('developer', 'maintainer', 'no_one'), 'developer'),
    premiumOnly: true,
  },
  ci_delete_pipelines_in_seconds: { ...storedOrNull(integer), maintainersOnly: true, errors: validatePipelineAge },
  resource_group_default_process_mode: storedForMaintainers(
    oneOf('unordered', 'oldest_first', 'newest_first', 'newest_ready_first'),
    'unordered',
  ),
  auto_devops_enabled: storedForMaintainers(boolean, false),
  auto_devops_deploy_strategy: storedForMaintainers(oneOf('continuous', 'manual', 'timed_incremental'), 'continuous'),
  ci_forward_deployment_rollback_allowed: storedForMaintainers(boolean, true),
  ci_allow_fork_pipelines_to_run_in_parent_project: storedForMaintainers(boolean, true),
  ci_push_repository_for_job_token_allowed: storedForMaintainers(boolean, false),
  ci_id_token_sub_claim_components: {
    ...storedForMaintainers(commaSeparated(string), ['project_path', 'ref_type', 'ref']),
    errors: validateSubClaim,
  },
  merge_method: stored(oneOf('merge', 'rebase_merge', 'ff'), 'merge'),
  squash_option: stored(oneOf('never', 'always', 'default_on', 'default_off'), 'default_off'),
  only_allow_merge_if_pipeline_succeeds: stored(boolean, false),
  allow_merge_on_skipped_pipeline: storedOrNull(boolean),
  only_allow_merge_if_all_discussions_are_resolved: stored(boolean, false),
  remove_source_branch_after_merge: stored(boolean, true),
  autoclose_referenced_issues: stored(boolean, true),
  merge_request_title_regex: { ...storedOrNull(domainValidatedText(255)), errors: validateTitleRegex },
  merge_request_title_regex_description: storedOrNull(string),
  merge_commit_template: storedOrNull(string),
  squash_commit_template: storedOrNull(string),
  suggestion_commit_message: storedOrNull(string),
  issue_branch_template: storedOrNull(string),
  issues_template: storedOrNull(longText),
  merge_requests_template: storedOrNull(longText),
  merge_pipelines_enabled: stored(boolean, false),
  merge_trains_enabled: stored(boolean, false),
  merge_trains_skip_train_allowed: stored(boolean, false),
  show_diff_preview_in_email: stored(boolean, true),
  warn_about_potentially_unwanted_characters: stored(boolean, true),
  request_access_enabled: stored(boolean, true),
  printing_merge_request_link_enabled: stored(boolean, true),
  resolve_outdated_diff_discussions: stored(boolean, false),
  packages_enabled: stored(boolean, true),
  container_registry_enabled: accessLevelSwitch('container_registry_access_level'),
  service_desk_enabled: stored(boolean, false),
  enforce_auth_checks_on_uploads: stored(boolean, true),
  approvals_before_merge: stored(integerIn({ min: 0, max: MAX_APPROVALS }), 0),
  external_authorization_classification_label: storedOrNull(shortText),
  container_expiration_policy_attributes: {
    ...stored(expirationPolicyInput, {}),
    merge: mergeExpirationPolicy,
    errors: validateExpirationPolicy,
    hidden: true,
  },
  emails_enabled: { ...stored(boolean, true), resettable: true },
  emails_disabled: { ...alias(boolean, 'emails_enabled', (off) => !off), resettable: true },
  mirror: ignored,
  mirror_trigger_builds: ignored,
  mirror_user_id: ignored,
  mirror_branch_regex: ignored,
  mirror_overwrites_diverged_branches: ignored,
  only_mirror_protected_branches: ignored,
  fallback_approvals_required: ignored,
  mr_default_target_self: ignored,
  show_default_award_emojis: ignored,
  web_based_commit_signing_enabled: ignored,
  spp_repository_pipeline_access: ignored,
  auto_duo_code_review_enabled: ignored,
  duo_remote_flows_enabled: ignored,
  duo_sast_fp_detection_enabled: ignored,
  duo_sast_vr_workflow_enabled: ignored,
  only_allow_merge_if_all_status_checks_passed: unsupported,
  prevent_merge_without_jira_issue: unsupported,
} as const satisfies Readonly<
  Record<string, ProjectAttribute<never, AttributeKind> | ProjectAttribute<unknown, AttributeKind>>
>;

type AttributeTable = typeof PROJECT_ATTRIBUTES;
export type AttributeName = keyof AttributeTable;
/** The type of the values of an attribute. */
type ValueOf<Name extends AttributeName> = AttributeTable[Name] extends { type: ParameterType<infer T> } ? T : never;
/** The names of the attributes that are stored in this way. */
type NamesOfKind<Kind extends AttributeKind> = {
  [Name in AttributeName]: AttributeTable[Name] extends { kind: Kind } ? Name : never;
}[AttributeName];

export type StoredName = NamesOfKind<'stored'>;
/** The stored attributes of one project, with defaults. */
export type StoredAttributes = { readonly [Name in StoredName]: ValueOf<Name> };
/** The attributes in a request; absent ones stay unchanged. */
export type ProjectAttributeInput = { readonly [Name in AttributeName]?: ValueOf<Name> | null | undefined };

/** The names of all attributes, in the order of the table. */
export const projectAttributeNames = Object.keys(PROJECT_ATTRIBUTES) as AttributeName[];
export const projectAttributeEntries = Object.entries(PROJECT_ATTRIBUTES) as [AttributeName, ProjectAttribute][];

/** The parameters of POST and PUT /projects. */
export const projectAttributeParams = Object.fromEntries(
  projectAttributeNames.map((name) => {
    const param = optional(PROJECT_ATTRIBUTES[name].type as ParameterType<unknown>);
    const { [name]: description }: { readonly [Name in AttributeName]?: string } = ATTRIBUTE_DESCRIPTIONS;
    return [name, description === undefined ? param : describe(param, description)];
  }),
) as unknown as { readonly [Name in AttributeName]: Parameter<ValueOf<Name>, 'optional'> };
