import type { Migration } from './migration.ts';

// Left intents are looked for in the order of their ids, and there are few: nothing read the index of their leases, which
// every change of a ref wrote.
export const migration: Migration = {
  name: '0041_intents_without_leases',
  async up(db) {
    await db.schema.dropIndex('ref_intents_by_lease').execute();
  },
};
