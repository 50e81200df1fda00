import type { Migration } from './migration.ts';

/** An event's row says who has logged it, so that nobody reads what was received for that. Older ones do not. */
export const migration: Migration = {
  name: '0077_event_loggers',
  async up(db, dialect) {
    await db.schema.alterTable('error_events').addColumn('logger', dialect.text).execute();
  },
};
