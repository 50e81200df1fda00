import type { Migration } from './migration.ts';

/** Stores the logger of an event in its row, so that lists do not read the payload. Older rows stay without a logger. */
export const migration: Migration = {
  name: '0077_event_loggers',
  async up(db, dialect) {
    await db.schema.alterTable('error_events').addColumn('logger', dialect.text).execute();
  },
};
