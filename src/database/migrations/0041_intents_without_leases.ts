import type { Migration } from './migration.ts';

// Drops the index of leases of ref intents: abandoned intents are few and read by id, and each ref update had to write
// it.
export const migration: Migration = {
  name: '0041_intents_without_leases',
  async up(db) {
    await db.schema.dropIndex('ref_intents_by_lease').execute();
  },
};
