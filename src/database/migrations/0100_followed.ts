import type { Migration } from './migration.ts';

/** Stores when a secondary was last up to date: events that the primary has deleted since may have been missed. */
export const migration: Migration = {
  name: '0100_followed',
  async up(db, dialect) {
    await db.schema.alterTable('geo_position').addColumn('followed_at', dialect.timestamp).execute();
  },
};
