import type { Migration } from './migration.ts';

/** The levels of a rule were found by partial indexes only, which serve no join and no reference. */
export const migration: Migration = {
  name: '0012_protected_branch_levels',
  async up(db) {
    await db.schema
      .createIndex('protected_branch_levels_by_rule')
      .on('protected_branch_access_levels')
      .column('protected_branch_id')
      .execute();
  },
};
