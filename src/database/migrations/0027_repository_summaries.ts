import type { Migration } from './migration.ts';

/**
 * Caches summaries of repositories for lists and statistics, with the version of the refs that they were computed for.
 */
export const migration: Migration = {
  name: '0027_repository_summaries',
  async up(db, dialect) {
    await db.schema.alterTable('repositories').addColumn('summary_version', dialect.text).execute();
    await db.schema.alterTable('repositories').addColumn('readme', dialect.text).execute();
    await db.schema.alterTable('repositories').addColumn('commit_count', dialect.integer).execute();
    await db.schema.alterTable('repositories').addColumn('size', dialect.integer).execute();
  },
};
