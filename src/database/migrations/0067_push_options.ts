import type { Migration } from './migration.ts';

/** What a push asks for besides goes with its refs, whoever settles them. */
export const migration: Migration = {
  name: '0067_push_options',
  async up(db, dialect) {
    await db.schema.alterTable('ref_intents').addColumn('options', dialect.json).execute();
  },
};
