import type { Migration } from './migration.ts';

/** Counts know when their window ends, so that those of addresses that never come back can be swept. */
export const migration: Migration = {
  name: '0013_limit_ends',
  async up(db, dialect) {
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
