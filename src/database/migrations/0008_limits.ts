import type { Migration } from './migration.ts';

/** Counters of rate limits. */
export const migration: Migration = {
  name: '0008_limits',
  async up(db, dialect) {
    await db.schema
      .createTable('limit_counts')
      .addColumn('key', dialect.text, (column) => column.primaryKey())
      .addColumn('period', dialect.integer, (column) => column.notNull())
      .addColumn('count', dialect.integer, (column) => column.notNull())
      .execute();
  },
};
