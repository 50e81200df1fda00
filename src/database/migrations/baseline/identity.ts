import { ddl } from '#database/ddl.ts';
import { trigramIndex } from '#database/search/trigrams.ts';

/** Users, their addresses and credentials, and OAuth applications. */
export const identity = ddl`
create table users (
  id id,
  username text not null,
  username_key text not null,
  name text not null,
  name_key text not null,
  email text not null,
  email_key text not null,
  unconfirmed_email text,
  confirmed_at timestamp,
  state text not null default 'active'
    check (state in ('active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval', 'ldap_blocked')),
  admin boolean not null default false,
  auditor boolean not null default false,
  external boolean not null default false,
  bot boolean not null default false,
  internal boolean not null default false,
  private_profile boolean not null default false,
  can_create_group boolean not null default true,
  projects_limit integer not null,
  password_hash text,
  password_expires_at timestamp,
  -- The one-time link that sets a password: the digest of its token.
  password_link_digest text,
  password_link_expires_at timestamp,
  failed_attempts integer not null default 0,
  locked_until timestamp,
  public_email text,
  commit_email text,
  notification_email text,
  bio text not null default '',
  location text not null default '',
  skype text not null default '',
  linkedin text not null default '',
  twitter text not null default '',
  discord text not null default '',
  website_url text not null default '',
  github text not null default '',
  organization text not null default '',
  job_title text,
  pronouns text,
  note text,
  theme_id integer not null default 1,
  color_scheme_id integer not null default 1,
  preferred_language text not null default 'en',
  sign_in_count integer not null default 0,
  current_sign_in_at timestamp,
  last_sign_in_at timestamp,
  current_sign_in_ip text,
  last_sign_in_ip text,
  last_activity_on text,
  created_by_id integer references users (id) on delete set null,
  -- When the deletion of the user was requested: callers no longer see the user, whose rows are deleted in the
  -- background.
  deletion_scheduled_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index users_by_username_key on users (username_key);
create unique index users_by_email_key on users (email_key);
create unique index users_by_password_link on users (password_link_digest) where password_link_digest is not null;
create index users_by_name on users (name, id);
create index users_by_username on users (username, id);
create index users_by_created_at on users (created_at, id);
create index users_by_updated_at on users (updated_at, id);
create index users_by_created_by on users (created_by_id);
-- The few administrators, to check that the last one is not deleted.
create index users_administrators on users (id) where admin = true;
-- Filters of lists that match few users.
create index users_auditors on users (id) where auditor = true;
create index users_externals on users (id) where external = true;
create index users_bots on users (id) where bot = true;
create index users_internals on users (id) where internal = true;
create index users_inactive on users (id) where state <> 'active';
create index users_by_name_key on users (name_key);
create index users_by_public_email on users (public_email) where public_email is not null;
${trigramIndex('users', 'name_key', 'username_key')}

create table emails (
  id id,
  user_id integer not null references users (id) on delete cascade,
  email text not null,
  -- The folded address: addresses are unique per user, confirmed or not.
  address_key text not null default '',
  taken_key text,
  confirmed_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index emails_by_taken_key on emails (taken_key);
create index emails_by_user on emails (user_id, id);
create unique index emails_by_user_address on emails (user_id, address_key);

-- Links in mails that confirm an address of a user, who has no row in emails yet for a new primary address.
create table email_confirmations (
  id id,
  user_id integer not null references users (id) on delete cascade,
  address_key text not null,
  digest text not null,
  expires_at timestamp not null
);
create unique index email_confirmations_by_digest on email_confirmations (digest);
create unique index email_confirmations_by_user_address on email_confirmations (user_id, address_key);

create table identities (
  id id,
  user_id integer not null references users (id) on delete cascade,
  provider text not null,
  extern_uid text not null
);
create unique index identities_by_extern_uid on identities (provider, extern_uid);
create unique index identities_by_user on identities (user_id, provider);

create table access_tokens (
  id id,
  user_id integer not null references users (id) on delete cascade,
  name text not null,
  name_key text not null,
  description text,
  scopes json not null,
  expires_at text,
  revoked boolean not null default false,
  impersonation boolean not null default false,
  previous_token_id integer references access_tokens (id) on delete set null,
  last_used_at timestamp,
  last_used_ips json not null default '[]',
  digest text not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index access_tokens_by_digest on access_tokens (digest);
create index access_tokens_by_user on access_tokens (user_id, id);
-- A token is replaced once, so that a rotation chain never forks.
create unique index access_tokens_by_previous on access_tokens (previous_token_id);

create table sessions (
  id id,
  digest text not null,
  user_id integer references users (id) on delete cascade,
  return_to text,
  ip_address text,
  user_agent text,
  created_at timestamp not null,
  last_seen_at timestamp not null
);
create unique index sessions_by_digest on sessions (digest);
create index sessions_by_user on sessions (user_id, id);
create index sessions_by_last_seen on sessions (last_seen_at);

create table oauth_applications (
  id id,
  uid text not null,
  secret_digest text not null,
  name text not null,
  redirect_uris text not null,
  scopes json not null,
  confidential boolean not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index oauth_applications_by_uid on oauth_applications (uid);

create table oauth_grants (
  id id,
  digest text not null,
  application_id integer not null references oauth_applications (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  scopes json not null,
  redirect_uri text not null,
  challenge text,
  challenge_method text check (challenge_method in ('S256', 'plain')),
  created_at timestamp not null,
  expires_at timestamp not null,
  used_at timestamp,
  -- A replayed code or refresh token revokes all tokens that descend from it: family_id of oauth_tokens.
  token_id integer,
  check ((challenge is null) = (challenge_method is null))
);
create unique index oauth_grants_by_digest on oauth_grants (digest);
create index oauth_grants_by_application on oauth_grants (application_id);
create index oauth_grants_by_user on oauth_grants (user_id);
create index oauth_grants_by_expiry on oauth_grants (expires_at);

create table oauth_tokens (
  id id,
  digest text not null,
  refresh_digest text,
  application_id integer references oauth_applications (id) on delete cascade,
  user_id integer references users (id) on delete cascade,
  scopes json not null,
  expires_in integer not null,
  family_id integer,
  created_at timestamp not null,
  revoked_at timestamp
);
create unique index oauth_tokens_by_digest on oauth_tokens (digest);
create unique index oauth_tokens_by_refresh_digest on oauth_tokens (refresh_digest);
create index oauth_tokens_by_application on oauth_tokens (application_id);
create index oauth_tokens_by_user on oauth_tokens (user_id);
-- For the daily cleanup: revoked tokens, tokens that cannot be renewed, and tokens that were never renewed.
create index oauth_tokens_by_revocation on oauth_tokens (revoked_at);
create index oauth_tokens_unrenewable on oauth_tokens (created_at) where refresh_digest is null;
create index oauth_tokens_by_creation on oauth_tokens (created_at);
create index oauth_tokens_by_family on oauth_tokens (family_id);
`;
