import type { Migration } from './migration.ts';

/** When a secondary knew last of all that had happened: what its primary forgets may have happened since. */
export const migration: Migration = {
  name: '0100_followed',
  async up(db, dialect) {
    await db.schema.alterTable('geo_position').addColumn('followed_at', dialect.timestamp).execute();
  },
};
