import type { Migration } from './migration.ts';

/** Stores the state of a job log that the next append needs, and when a user last read the growing log. */
export const migration: Migration = {
  name: '0069_log_ends',
  async up(db, dialect) {
    await db.schema.alterTable('jobs').addColumn('trace_held', dialect.text).execute();
    await db.schema.alterTable('jobs').addColumn('trace_checksum', dialect.integer).execute();
    await db.schema.alterTable('jobs').addColumn('trace_watched_at', dialect.timestamp).execute();
  },
};
