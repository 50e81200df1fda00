import type { Migration } from './migration.ts';

/** Stores the environment URL of a job once all its variables are known. */
export const migration: Migration = {
  name: '0074_environment_urls',
  async up(db, dialect) {
    await db.schema.alterTable('jobs').addColumn('environment_url', dialect.text).execute();
  },
};
