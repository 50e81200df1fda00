import type { Migration } from './migration.ts';

/** Stores the default branch protection of the group when a project was created; null: the instance setting applies. */
export const migration: Migration = {
  name: '0029_group_branch_protection',
  async up(db, dialect) {
    await db.schema.alterTable('repositories').addColumn('default_branch_protection', dialect.json).execute();
  },
};
