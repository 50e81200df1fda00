import type { Migration } from './migration.ts';

/** Stores which tokens descend from which code or refresh token: a replayed secret revokes all its descendants. */
export const migration: Migration = {
  name: '0025_oauth_families',
  async up(db, dialect) {
    await db.schema.alterTable('oauth_grants').addColumn('token_id', dialect.integer).execute();
    await db.schema.alterTable('oauth_tokens').addColumn('family_id', dialect.integer).execute();
    await db.schema.createIndex('oauth_tokens_by_family').on('oauth_tokens').column('family_id').execute();
  },
};
