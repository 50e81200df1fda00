import type { Generated } from 'kysely';

export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'blocked_pending_approval' | 'ldap_blocked';

export interface UsersTable {
  id: Generated<number>;
  username: string;
  /** Folded username; unique. */
  username_key: string;
  name: string;
  /** Folded name, for searching. */
  name_key: string;
  /** The primary address. Its row in `emails` makes it unique. */
  email: string;
  /** Folded primary address; unique. */
  email_key: string;
  /** A new primary address that is not confirmed yet. */
  unconfirmed_email: string | null;
  /** When the first primary address was confirmed. */
  confirmed_at: string | null;
  state: Generated<UserState>;
  admin: Generated<boolean>;
  auditor: Generated<boolean>;
  external: Generated<boolean>;
  /** Whether the user is a bot: the alert bot, or the bot of a project or group token. */
  bot: Generated<boolean>;
  /** Whether the user is built in (`ghost`, `alert-bot`) and cannot be changed or deleted. */
  internal: Generated<boolean>;
  private_profile: Generated<boolean>;
  can_create_group: Generated<boolean>;
  projects_limit: number;
  /** Null: the user cannot sign in with a password. */
  password_hash: string | null;
  /** Time after which the user must choose a new password, because an administrator has set this one. */
  password_expires_at: string | null;
  failed_attempts: Generated<number>;
  locked_until: string | null;
  public_email: string | null;
  commit_email: string | null;
  notification_email: string | null;
  bio: Generated<string>;
  location: Generated<string>;
  skype: Generated<string>;
  linkedin: Generated<string>;
  twitter: Generated<string>;
  discord: Generated<string>;
  website_url: Generated<string>;
  github: Generated<string>;
  organization: Generated<string>;
  job_title: string | null;
  pronouns: string | null;
  /** A note of administrators about the user. */
  note: string | null;
  theme_id: Generated<number>;
  color_scheme_id: Generated<number>;
  preferred_language: Generated<string>;
  sign_in_count: Generated<number>;
  current_sign_in_at: string | null;
  last_sign_in_at: string | null;
  current_sign_in_ip: string | null;
  last_sign_in_ip: string | null;
  /** The latest UTC date on which the user was active. */
  last_activity_on: string | null;
  created_by_id: number | null;
  /** Time at which the deletion was requested: the user is blocked and deleted in the background. */
  deletion_scheduled_at: Generated<string | null>;
  created_at: string;
  updated_at: string;
}

/** All email addresses of all users, including the primary ones. */
export interface EmailsTable {
  id: Generated<number>;
  user_id: number;
  email: string;
  /** Folded address; unique per user. */
  address_key: string;
  /** The folded address if it is reserved (primary or confirmed). Unique. */
  taken_key: string | null;
  confirmed_at: string | null;
  created_at: string;
  updated_at: string;
}

/** A user's accounts at other identity providers. */
interface IdentitiesTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  extern_uid: string;
}

/** Personal, impersonation, project and group tokens. The secret is not stored. */
export interface AccessTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Folded name, for searching. */
  name_key: string;
  description: string | null;
  /** JSON array. */
  scopes: string;
  /** The UTC date at whose start the token expires; null: never. */
  expires_at: string | null;
  revoked: Generated<boolean>;
  impersonation: Generated<boolean>;
  /** The previous token that was rotated into this one. */
  previous_token_id: number | null;
  last_used_at: string | null;
  /** JSON array of at most five addresses, the most recent first. */
  last_used_ips: Generated<string>;
  /** Hexadecimal SHA-256 of the secret. */
  digest: string;
  created_at: string;
  updated_at: string;
}

/** Browser sessions. The secret in the cookie is not stored. */
interface SessionsTable {
  /** Hexadecimal SHA-256 of the cookie's value. */
  digest: string;
  /** Null: not signed in. */
  user_id: number | null;
  /** The page that required the sign-in: path and query relative to the base URL. */
  return_to: string | null;
  created_at: string;
  /** Time of the last request; some minutes too early, because not every request updates it. */
  last_seen_at: string;
}

export interface IdentityTables {
  users: UsersTable;
  emails: EmailsTable;
  identities: IdentitiesTable;
  access_tokens: AccessTokensTable;
  sessions: SessionsTable;
}
