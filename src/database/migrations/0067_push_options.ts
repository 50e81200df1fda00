import type { Migration } from './migration.ts';

/** Stores the push options with the ref intent, because another process may complete it. */
export const migration: Migration = {
  name: '0067_push_options',
  async up(db, dialect) {
    await db.schema.alterTable('ref_intents').addColumn('options', dialect.json).execute();
  },
};
