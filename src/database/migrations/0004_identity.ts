import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Users with their email addresses, identities, and access tokens. */
export const migration: Migration = {
  name: '0004_identity',
  async up(db, dialect) {
    await createUsers(db, dialect);
    await createEmails(db, dialect);
    await createIdentities(db, dialect);
    await createAccessTokens(db, dialect);
  },
};

async function createUsers(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', ...dialect.id)
    .addColumn('username', dialect.text, (column) => column.notNull())
    .addColumn('username_key', dialect.key, (column) => column.notNull())
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('name_key', dialect.key, (column) => column.notNull())
    .addColumn('email', dialect.text, (column) => column.notNull())
    .addColumn('email_key', dialect.key, (column) => column.notNull())
    .addColumn('unconfirmed_email', dialect.text)
    .addColumn('confirmed_at', dialect.timestamp)
    .addColumn('state', dialect.text, (column) => column.notNull().defaultTo('active'))
    .addColumn('admin', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('auditor', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('external', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('bot', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('internal', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('private_profile', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('can_create_group', dialect.boolean, (column) => column.notNull().defaultTo(true))
    .addColumn('projects_limit', dialect.integer, (column) => column.notNull())
    .addColumn('password_hash', dialect.text)
    .addColumn('password_expires_at', dialect.timestamp)
    .addColumn('failed_attempts', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('locked_until', dialect.timestamp)
    .addColumn('public_email', dialect.text)
    .addColumn('commit_email', dialect.text)
    .addColumn('notification_email', dialect.text)
    .addColumn('bio', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('location', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('skype', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('linkedin', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('twitter', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('discord', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('website_url', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('github', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('organization', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('job_title', dialect.text)
    .addColumn('pronouns', dialect.text)
    .addColumn('note', dialect.text)
    .addColumn('theme_id', dialect.integer, (column) => column.notNull().defaultTo(1))
    .addColumn('color_scheme_id', dialect.integer, (column) => column.notNull().defaultTo(1))
    .addColumn('preferred_language', dialect.text, (column) => column.notNull().defaultTo('en'))
    .addColumn('sign_in_count', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('current_sign_in_at', dialect.timestamp)
    .addColumn('last_sign_in_at', dialect.timestamp)
    .addColumn('current_sign_in_ip', dialect.text)
    .addColumn('last_sign_in_ip', dialect.text)
    .addColumn('last_activity_on', dialect.text)
    .addColumn('created_by_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint(
      'users_state',
      sql`state in ('active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval', 'ldap_blocked')`,
    )
    .execute();
  await db.schema.createIndex('users_by_username_key').on('users').column('username_key').unique().execute();
  await db.schema.createIndex('users_by_email_key').on('users').column('email_key').unique().execute();
  await db.schema.createIndex('users_by_name').on('users').columns(['name', 'id']).execute();
  await db.schema.createIndex('users_by_username').on('users').columns(['username', 'id']).execute();
  await db.schema.createIndex('users_by_created_at').on('users').columns(['created_at', 'id']).execute();
  await db.schema.createIndex('users_by_updated_at').on('users').columns(['updated_at', 'id']).execute();
  await db.schema.createIndex('users_by_created_by').on('users').column('created_by_id').execute();
}

async function createEmails(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('emails')
    .addColumn('id', ...dialect.id)
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('email', dialect.text, (column) => column.notNull())
    .addColumn('taken_key', dialect.key)
    .addColumn('confirmed_at', dialect.timestamp)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('emails_by_taken_key').on('emails').column('taken_key').unique().execute();
  await db.schema.createIndex('emails_by_user').on('emails').columns(['user_id', 'id']).execute();
}

async function createIdentities(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('identities')
    .addColumn('id', ...dialect.id)
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('provider', dialect.text, (column) => column.notNull())
    .addColumn('extern_uid', dialect.text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('identities_by_extern_uid')
    .on('identities')
    .columns(['provider', 'extern_uid'])
    .unique()
    .execute();
  await db.schema
    .createIndex('identities_by_user')
    .on('identities')
    .columns(['user_id', 'provider'])
    .unique()
    .execute();
}

async function createAccessTokens(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', ...dialect.id)
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('name_key', dialect.key, (column) => column.notNull())
    .addColumn('description', dialect.text)
    .addColumn('scopes', dialect.json, (column) => column.notNull())
    .addColumn('expires_at', dialect.text)
    .addColumn('revoked', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('impersonation', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('previous_token_id', dialect.integer, (column) =>
      column.references('access_tokens.id').onDelete('set null'),
    )
    .addColumn('last_used_at', dialect.timestamp)
    .addColumn('last_used_ips', dialect.json, (column) => column.notNull().defaultTo('[]'))
    .addColumn('digest', dialect.text, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('access_tokens_by_digest').on('access_tokens').column('digest').unique().execute();
  await db.schema.createIndex('access_tokens_by_user').on('access_tokens').columns(['user_id', 'id']).execute();
  // Unique: a token is replaced once, so a rotation chain never forks.
  await db.schema
    .createIndex('access_tokens_by_previous')
    .on('access_tokens')
    .column('previous_token_id')
    .unique()
    .execute();
}
