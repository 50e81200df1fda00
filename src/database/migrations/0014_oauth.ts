import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** OAuth applications, authorization codes, and tokens. */
export const migration: Migration = {
  name: '0014_oauth',
  async up(db, dialect) {
    await createApplications(db, dialect);
    await createGrants(db, dialect);
    await createTokens(db, dialect);
  },
};

async function createApplications(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('oauth_applications')
    .addColumn('id', ...dialect.id)
    .addColumn('uid', dialect.text, (column) => column.notNull())
    .addColumn('secret_digest', dialect.text, (column) => column.notNull())
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('redirect_uris', dialect.text, (column) => column.notNull())
    .addColumn('scopes', dialect.json, (column) => column.notNull())
    .addColumn('confidential', dialect.boolean, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('oauth_applications_by_uid').on('oauth_applications').column('uid').unique().execute();
}

async function createGrants(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('oauth_grants')
    .addColumn('id', ...dialect.id)
    .addColumn('digest', dialect.text, (column) => column.notNull())
    .addColumn('application_id', dialect.integer, (column) =>
      column.notNull().references('oauth_applications.id').onDelete('cascade'),
    )
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('scopes', dialect.json, (column) => column.notNull())
    .addColumn('redirect_uri', dialect.text, (column) => column.notNull())
    .addColumn('challenge', dialect.text)
    .addColumn('challenge_method', dialect.text)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('expires_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('used_at', dialect.timestamp)
    .addCheckConstraint(
      'oauth_grants_challenge',
      sql`(challenge is null) = (challenge_method is null) and challenge_method in ('S256', 'plain')`,
    )
    .execute();
  await db.schema.createIndex('oauth_grants_by_digest').on('oauth_grants').column('digest').unique().execute();
  await db.schema.createIndex('oauth_grants_by_application').on('oauth_grants').column('application_id').execute();
  await db.schema.createIndex('oauth_grants_by_user').on('oauth_grants').column('user_id').execute();
  await db.schema.createIndex('oauth_grants_by_expiry').on('oauth_grants').column('expires_at').execute();
}

async function createTokens(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('oauth_tokens')
    .addColumn('id', ...dialect.id)
    .addColumn('digest', dialect.text, (column) => column.notNull())
    .addColumn('refresh_digest', dialect.text)
    .addColumn('application_id', dialect.integer, (column) =>
      column.references('oauth_applications.id').onDelete('cascade'),
    )
    .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('scopes', dialect.json, (column) => column.notNull())
    .addColumn('expires_in', dialect.integer, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('revoked_at', dialect.timestamp)
    .execute();
  await db.schema.createIndex('oauth_tokens_by_digest').on('oauth_tokens').column('digest').unique().execute();
  await db.schema
    .createIndex('oauth_tokens_by_refresh_digest')
    .on('oauth_tokens')
    .column('refresh_digest')
    .unique()
    .execute();
  await db.schema.createIndex('oauth_tokens_by_application').on('oauth_tokens').column('application_id').execute();
  await db.schema.createIndex('oauth_tokens_by_user').on('oauth_tokens').column('user_id').execute();
  // Indexes for the daily cleanup: revoked tokens, tokens that cannot be renewed, and tokens that were never renewed.
  await db.schema.createIndex('oauth_tokens_by_revocation').on('oauth_tokens').column('revoked_at').execute();
  await db.schema
    .createIndex('oauth_tokens_unrenewable')
    .on('oauth_tokens')
    .column('created_at')
    .where(sql.ref('refresh_digest'), 'is', null)
    .execute();
  await db.schema.createIndex('oauth_tokens_by_creation').on('oauth_tokens').column('created_at').execute();
}
