import { parseCidr } from '#config.ts';
import { parseDuration } from '#text/durations.ts';

// Every application setting with its type, default and bounds (contract/conventions.md §11).

/** Definition of a setting. The default determines its type. */
export interface SettingDefinition<T> {
  readonly kind: 'boolean' | 'integer' | 'text' | 'choice' | 'list' | 'weights';
  readonly default: T;
  /** Whether null is a valid value. It means no limit, or no text. */
  readonly nullable: boolean;
  /** Allowed values of a choice, or of each element of a list. */
  readonly values?: readonly string[];
  /** Returns the validation error of a value, or null. */
  readonly validate?: (value: T) => string | null;
}

// Settings with one value only: their feature does not exist or is always on. Clients that check them find the true state.

/** Returns the definition of a setting that cannot be changed. Only its value is accepted. */
function fixed<T extends boolean | number | string>(value: T): SettingDefinition<T> {
  const kinds = { boolean: 'boolean', number: 'integer', string: 'text' } as const;
  return {
    kind: kinds[typeof value as keyof typeof kinds],
    default: value,
    nullable: false,
    validate: (requested) => (requested === value ? null : NOT_SUPPORTED),
  };
}

const NOT_SUPPORTED = 'is not supported';

const OFF = fixed<boolean>(false);
const ON = fixed<boolean>(true);

/** A list that stays empty. */
const EMPTY: SettingDefinition<readonly string[]> = {
  kind: 'list',
  default: [],
  nullable: false,
  validate: ({ length }) => (length === 0 ? null : NOT_SUPPORTED),
};

const FIXED_SETTING_DEFINITIONS = {
  // Sign-in and accounts
  require_two_factor_authentication: OFF,
  require_admin_two_factor_authentication: OFF,
  two_factor_grace_period: fixed<number>(48),
  password_authentication_enabled_for_git: OFF,
  password_number_required: OFF,
  password_symbol_required: OFF,
  password_uppercase_required: OFF,
  password_lowercase_required: OFF,
  require_admin_approval_after_user_signup: OFF,
  email_confirmation_setting: fixed<string>('off'),
  domain_allowlist: EMPTY,
  domain_denylist_enabled: OFF,
  domain_denylist: EMPTY,
  email_restrictions_enabled: OFF,
  enforce_terms: OFF,
  user_oauth_applications: OFF,
  unique_ips_limit_enabled: OFF,
  admin_mode: OFF,
  notify_on_unknown_sign_in: OFF,
  remember_me_enabled: OFF,
  user_deactivation_emails_enabled: OFF,
  disable_personal_access_tokens: OFF,
  disable_feed_token: ON,
  disable_admin_oauth_scopes: OFF,
  external_authorization_service_enabled: OFF,
  gravatar_enabled: OFF,
  // Limits and protection
  throttle_unauthenticated_web_enabled: OFF,
  throttle_authenticated_web_enabled: OFF,
  throttle_unauthenticated_packages_api_enabled: OFF,
  throttle_authenticated_packages_api_enabled: OFF,
  throttle_unauthenticated_deprecated_api_enabled: OFF,
  throttle_authenticated_deprecated_api_enabled: OFF,
  throttle_authenticated_git_lfs_enabled: OFF,
  throttle_protected_paths_enabled: OFF,
  recaptcha_enabled: OFF,
  login_recaptcha_protection_enabled: OFF,
  invisible_captcha_enabled: OFF,
  akismet_enabled: OFF,
  spam_check_endpoint_enabled: OFF,
  dns_rebinding_protection_enabled: ON,
  allow_local_requests_from_system_hooks: OFF,
  deny_all_requests_except_allowed: OFF,
  asset_proxy_enabled: OFF,
  // Reports to other servers
  usage_ping_enabled: OFF,
  version_check_enabled: OFF,
  include_optional_metrics_in_service_ping: OFF,
  snowplow_enabled: OFF,
  sentry_enabled: OFF,
  // Repositories, CI/CD and maintenance
  hashed_storage_enabled: ON,
  housekeeping_enabled: ON,
  repository_checks_enabled: OFF,
  import_sources: EMPTY,
  project_export_enabled: OFF,
  mirror_available: OFF,
  delete_inactive_projects: OFF,
  auto_devops_enabled: OFF,
  shared_runners_enabled: ON,
  pages_domain_verification_enabled: OFF,
  prometheus_metrics_enabled: ON,
  performance_bar_enabled: OFF,
  maintenance_mode: OFF,
  silent_mode_enabled: OFF,
  // Integrations
  elasticsearch_indexing: OFF,
  elasticsearch_search: OFF,
  plantuml_enabled: OFF,
  kroki_enabled: OFF,
  diagramsnet_enabled: OFF,
  sourcegraph_enabled: OFF,
  gitpod_enabled: OFF,
  mailgun_events_enabled: OFF,
  eks_integration_enabled: OFF,
  lock_memberships_to_ldap: OFF,
  duo_features_enabled: OFF,
  instance_level_ai_beta_features_enabled: OFF,
} as const;

/** Defines a setting that is on or off, with this default. */
const flag = (value: boolean): SettingDefinition<boolean> => ({ kind: 'boolean', default: value, nullable: false });

/** The largest 32-bit integer. Much longer periods would end after the last valid date. */
const MAX_INTEGER = 2_147_483_647;

/** Returns a check that returns the validation error of an integer outside the range, or null. */
function createRangeCheck(min: number, max = MAX_INTEGER) {
  const tooSmallText = min === 1 && max >= MAX_INTEGER ? 'must be greater than 0' : formatMinText(min);
  return (value: number | null) => {
    if (value === null) return null;
    if (value < min) return tooSmallText;
    return value > max ? `must be less than or equal to ${max}` : null;
  };
}

const formatMinText = (min: number) => `must be greater than or equal to ${min}`;

/** Defines an integer with this default and these bounds. */
function number(value: number, min: number, max?: number): SettingDefinition<number> {
  return { kind: 'integer', default: value, nullable: false, validate: createRangeCheck(min, max) };
}

/** Defines a nullable integer with these bounds. The default null means no limit. */
function limit(min: number, max?: number): SettingDefinition<number | null> {
  return { kind: 'integer', default: null, nullable: true, validate: createRangeCheck(min, max) };
}

/** Defines a text with this default. */
function text(value: string, problem?: (value: string) => string | null): SettingDefinition<string> {
  return { kind: 'text', default: value, nullable: false, ...(problem ? { validate: problem } : {}) };
}

const optionalText: SettingDefinition<string | null> = { kind: 'text', default: null, nullable: true };

/** Defines a choice between values, with this default. */
function oneOf<V extends string>(value: V, values: readonly V[]): SettingDefinition<V> {
  return { kind: 'choice', default: value, nullable: false, values };
}

/** Defines a list with this default. `values`: the allowed elements; absent: any text. */
function list<V extends string = string>(value: readonly V[], values?: readonly V[]): SettingDefinition<readonly V[]> {
  return { kind: 'list', default: value, nullable: false, ...(values ? { values } : {}) };
}

const visibilities = ['private', 'internal', 'public'] as const;
const REGISTRAR_TYPES = ['project', 'group'] as const;

function validateCidrList(value: string): string | null {
  const ranges = value.split(',').map((range) => range.trim());
  return ranges.every((range) => parseCidr(range) !== null) ? null : 'contains invalid IP address range';
}

function validateDuration(value: string): string | null {
  return /^never$/i.test(value.trim()) || parseDuration(value) !== null ? null : 'is not a correct duration';
}

function validateWeights(weights: Readonly<Record<string, number>>): string | null {
  const invalidEntry = Object.entries(weights).find(([, weight]) => weight < 0 || weight > 100);
  return invalidEntry ? `value for '${invalidEntry[0]}' must be between 0 and 100` : null;
}

/**
 * The settings with their defaults and bounds. Where the name has no unit, sizes are in MiB (`snippet_size_limit` in bytes),
 * periods and lifetimes in days, and `session_expire_delay` in minutes.
 */
export const SETTING_DEFINITIONS = {
  throttle_unauthenticated_api_enabled: flag(false),
  throttle_unauthenticated_api_requests_per_period: number(3600, 1),
  throttle_unauthenticated_api_period_in_seconds: number(3600, 1),
  throttle_authenticated_api_enabled: flag(false),
  throttle_authenticated_api_requests_per_period: number(7200, 1),
  throttle_authenticated_api_period_in_seconds: number(3600, 1),
  throttle_unauthenticated_files_api_enabled: flag(false),
  throttle_unauthenticated_files_api_requests_per_period: number(125, 1),
  throttle_unauthenticated_files_api_period_in_seconds: number(15, 1),
  throttle_authenticated_files_api_enabled: flag(false),
  throttle_authenticated_files_api_requests_per_period: number(500, 1),
  throttle_authenticated_files_api_period_in_seconds: number(15, 1),
  rate_limiting_response_text: optionalText,
  throttle_incident_management_notification_enabled: flag(false),
  throttle_incident_management_notification_per_period: number(3600, 1),
  throttle_incident_management_notification_period_in_seconds: number(3600, 1),
  failed_sign_in_limit: number(50, 0),
  users_get_by_id_limit: number(300, 0),
  users_get_by_id_limit_allowlist: list<string>([]),
  offset_pagination_limit: number(50_000, 0),
  require_personal_access_token_expiry: flag(true),
  max_personal_access_token_lifetime: limit(1, 365),
  personal_access_token_prefix: text('glpat-', (value) =>
    /^[a-zA-Z0-9_+=/@:.-]{0,20}$/.test(value)
      ? null
      : "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
  ),
  minimum_password_length: number(8, 8, 128),
  default_projects_limit: number(100_000, 0),
  can_create_group: flag(true),
  user_default_external: flag(false),
  user_defaults_to_private_profile: flag(false),
  signup_enabled: flag(false),
  deactivate_dormant_users_period: number(90, 1),
  password_authentication_enabled_for_web: flag(true),
  ropc_without_client_credentials: flag(true),
  session_expire_delay: number(10_080, 1),
  restricted_visibility_levels: list([], visibilities),
  default_project_visibility: oneOf('private', visibilities),
  default_group_visibility: oneOf('private', visibilities),
  deletion_adjourned_period: number(30, 1, 90),
  default_branch_protection: number(2, 0, 4),
  push_event_activities_limit: number(3, 0),
  wiki_page_max_content_bytes: number(5_242_880, 1024),
  max_commit_request_bytes: number(314_572_800, 1, Number.MAX_SAFE_INTEGER),
  snippet_size_limit: number(52_428_800, 1),
  allow_runner_registration_token: flag(true),
  valid_runner_registrars: list(REGISTRAR_TYPES, REGISTRAR_TYPES),
  // In seconds, at least two hours.
  runner_token_expiration_interval: limit(7200),
  group_runner_token_expiration_interval: limit(7200),
  project_runner_token_expiration_interval: limit(7200),
  default_artifacts_expire_in: text('30 days', validateDuration),
  max_artifacts_size: number(100, 1),
  ci_jobs_trace_size_limit: number(100, 1),
  runner_jobs_request_api_limit: number(2000, 0),
  runner_jobs_patch_trace_api_limit: number(200, 0),
  runner_jobs_endpoints_api_limit: number(200, 0),
  runner_long_polling_seconds: number(0, 0),
  bulk_import_enabled: flag(true),
  allow_local_requests_from_web_hooks_and_services: flag(false),
  outbound_local_requests_whitelist: list<string>([]),
  max_http_response_size_limit: number(100, 0),
  max_import_size: number(10_240, 0),
  repository_storages_weighted: {
    kind: 'weights',
    default: { default: 100 },
    nullable: false,
    validate: validateWeights,
  } as SettingDefinition<Readonly<Record<string, number>>>,
  // Minimum key lengths in bits; 0: any length, -1: keys of this type are forbidden.
  rsa_key_restriction: number(0, -1),
  dsa_key_restriction: number(0, -1),
  ecdsa_key_restriction: number(0, -1),
  ed25519_key_restriction: number(0, -1),
  ecdsa_sk_key_restriction: number(0, -1),
  ed25519_sk_key_restriction: number(0, -1),
  after_sign_up_text: optionalText,
  file_template_project_id: limit(1),
  geo_node_allowed_ips: text('0.0.0.0/0, ::/0', validateCidrList),
  ...FIXED_SETTING_DEFINITIONS,
} as const;

export type SettingName = keyof typeof SETTING_DEFINITIONS;

/** All application settings with their current values. */
export type ApplicationSettings = {
  readonly [Name in SettingName]: (typeof SETTING_DEFINITIONS)[Name] extends SettingDefinition<infer T> ? T : never;
};

export const SETTING_NAMES = Object.keys(SETTING_DEFINITIONS) as SettingName[];

const defaultEntries = SETTING_NAMES.map((name) => [name, SETTING_DEFINITIONS[name].default]);
export const defaultSettings: ApplicationSettings = Object.freeze(Object.fromEntries(defaultEntries));
