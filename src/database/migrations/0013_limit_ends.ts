import type { Migration } from './migration.ts';

/** Stores when the period of a rate limit ends, so that counts of addresses that never return can be deleted. */
export const migration: Migration = {
  name: '0013_limit_ends',
  async up(db, dialect) {
    // Existing counts are dropped, because they only limit requests of the current periods.
    await db.schema.dropTable('limit_counts').execute();
    await db.schema
      .createTable('limit_counts')
      .addColumn('key', dialect.text, (column) => column.primaryKey())
      .addColumn('period', dialect.integer, (column) => column.notNull())
      .addColumn('count', dialect.integer, (column) => column.notNull())
      .addColumn('ends_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('limit_counts_by_end').on('limit_counts').column('ends_at').execute();
  },
};
