import type { SettingDefinition } from './setting-definition.ts';

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

export const FIXED_SETTING_DEFINITIONS = {
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
