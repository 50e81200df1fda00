import type { Migration } from './migration.ts';

/** Stores when a secondary last processed all events: the primary may delete events that the secondary has not read yet. */
export const migration: Migration = {
  name: '0100_followed',
  async up(db, dialect) {
    await db.schema.alterTable('geo_position').addColumn('followed_at', dialect.timestamp).execute();
  },
};
