import type { Migration } from './migration.ts';

/** Tokens that replication sites have used, because each token is accepted once. */
export const migration: Migration = {
  name: '0106_site_proofs',
  async up(db, dialect) {
    await db.schema
      .createTable('geo_site_proofs')
      .addColumn('site_id', dialect.integer, (column) => column.notNull())
      .addColumn('jti_digest', dialect.text, (column) => column.notNull())
      .addColumn('expires_at', dialect.timestamp, (column) => column.notNull())
      .addPrimaryKeyConstraint('geo_site_proofs_pkey', ['site_id', 'jti_digest'])
      .execute();
    await db.schema.createIndex('geo_site_proofs_by_expiry').on('geo_site_proofs').column('expires_at').execute();
  },
};
