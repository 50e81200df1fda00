import type { Migration } from './migration.ts';

/** Drops the index of leases of ref intents: each ref update would have to write it, and the few abandoned ones are read by id. */
export const migration: Migration = {
  name: '0041_intents_without_leases',
  async up(db) {
    await db.schema.dropIndex('ref_intents_by_lease').execute();
  },
};
