import type { Generated } from 'kysely';

export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'blocked_pending_approval' | 'ldap_blocked';

export interface UsersTable {
  id: Generated<number>;
  username: string;
  /** Folded; unique. */
  username_key: string;
  name: string;
  /** Folded, for searching. */
  name_key: string;
  /** The primary address. It is taken by its row in `emails`. */
  email: string;
  /** Folded; unique. */
  email_key: string;
  /** A new primary address that waits for its confirmation. */
  unconfirmed_email: string | null;
  /** When the first primary address was confirmed. */
  confirmed_at: string | null;
  state: Generated<UserState>;
  admin: Generated<boolean>;
  auditor: Generated<boolean>;
  external: Generated<boolean>;
  /** Acts by itself: the alert bot, bots of project and group tokens. */
  bot: Generated<boolean>;
  /** Hearth's own: `ghost`, `alert-bot`. Can't be changed or deleted. */
  internal: Generated<boolean>;
  private_profile: Generated<boolean>;
  can_create_group: Generated<boolean>;
  projects_limit: number;
  /** null: can't sign in with a password. */
  password_hash: string | null;
  /** From then on the user must choose a new one: another administrator has set it. */
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
  /** Of administrators, about the user. */
  note: string | null;
  theme_id: Generated<number>;
  color_scheme_id: Generated<number>;
  preferred_language: Generated<string>;
  sign_in_count: Generated<number>;
  current_sign_in_at: string | null;
  last_sign_in_at: string | null;
  current_sign_in_ip: string | null;
  last_sign_in_ip: string | null;
  /** The latest UTC day on which the user did anything. */
  last_activity_on: string | null;
  created_by_id: number | null;
  /** From then on the user is blocked, nothing can be done with it, and it is soon removed. */
  deletion_scheduled_at: Generated<string | null>;
  created_at: string;
  updated_at: string;
}

/** Every address of every user, the primary one too. */
export interface EmailsTable {
  id: Generated<number>;
  user_id: number;
  email: string;
  /** Folded; a user has it once. */
  address_key: string;
  /** The folded address while nobody else may have it: it is primary or confirmed. Unique. */
  taken_key: string | null;
  confirmed_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Accounts at other providers that are this user. */
interface IdentitiesTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  extern_uid: string;
}

/** Personal, impersonation, project and group tokens. The secret itself is nowhere. */
export interface AccessTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Folded, for searching. */
  name_key: string;
  description: string | null;
  /** JSON array. */
  scopes: string;
  /** The UTC day at whose beginning it dies; null: never. */
  expires_at: string | null;
  revoked: Generated<boolean>;
  impersonation: Generated<boolean>;
  /** The token that this one replaced by rotation. */
  previous_token_id: number | null;
  last_used_at: string | null;
  /** JSON array, the most recent address first, at most five. */
  last_used_ips: Generated<string>;
  /** Hexadecimal SHA-256 of the secret. */
  digest: string;
  created_at: string;
  updated_at: string;
}

/** Browsers that have visited a page with a form. The secret in their cookie is nowhere. */
interface SessionsTable {
  /** Hexadecimal SHA-256 of the cookie's value. */
  digest: string;
  /** null: nobody has signed in. */
  user_id: number | null;
  /** The page that asked for a sign-in: path and query, below the server's address. */
  return_to: string | null;
  created_at: string;
  /** Some minutes behind: not every request writes it. */
  last_seen_at: string;
}

export interface IdentityTables {
  users: UsersTable;
  emails: EmailsTable;
  identities: IdentitiesTable;
  access_tokens: AccessTokensTable;
  sessions: SessionsTable;
}
