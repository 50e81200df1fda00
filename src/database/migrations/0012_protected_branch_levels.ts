import type { Migration } from './migration.ts';

/** Adds a full index of levels by rule: the partial indexes serve neither joins nor foreign keys. */
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
