import type { Migration } from './migration.ts';

/** What lists and statistics show of repositories, kept in the row with the version of refs that it was read at. */
export const migration: Migration = {
  name: '0027_repository_summaries',
  async up(db, dialect) {
    await db.schema.alterTable('repositories').addColumn('summary_version', dialect.text).execute();
    await db.schema.alterTable('repositories').addColumn('readme', dialect.text).execute();
    await db.schema.alterTable('repositories').addColumn('commit_count', dialect.integer).execute();
    await db.schema.alterTable('repositories').addColumn('size', dialect.integer).execute();
  },
};
