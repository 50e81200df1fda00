import { parseCidr } from '#config.ts';
import { parseDuration } from '#text/durations.ts';
import { FIXED_SETTING_DEFINITIONS } from './fixed-definitions.ts';
import type { SettingDefinition } from './setting-definition.ts';

// Every application setting with its type, default and bounds (contract/conventions.md §11).

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
