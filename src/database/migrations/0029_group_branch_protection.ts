import type { Migration } from './migration.ts';

/** The group's default branch protection at the creation of a project; null: the setting of the instance applies. */
export const migration: Migration = {
  name: '0029_group_branch_protection',
  async up(db, dialect) {
    await db.schema.alterTable('repositories').addColumn('default_branch_protection', dialect.json).execute();
  },
};
