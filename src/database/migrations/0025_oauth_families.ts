import type { Migration } from './migration.ts';

/** Which tokens came of which code, and of which refresh token: a secret that comes again ends what came of it. */
export const migration: Migration = {
  name: '0025_oauth_families',
  async up(db, dialect) {
    await db.schema.alterTable('oauth_grants').addColumn('token_id', dialect.integer).execute();
    await db.schema.alterTable('oauth_tokens').addColumn('family_id', dialect.integer).execute();
    await db.schema.createIndex('oauth_tokens_by_family').on('oauth_tokens').column('family_id').execute();
  },
};
