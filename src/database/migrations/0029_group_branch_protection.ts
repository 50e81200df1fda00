import type { Migration } from './migration.ts';

/** What its group said of a project's default branch when the project was made; null: the instance's setting says it. */
export const migration: Migration = {
  name: '0029_group_branch_protection',
  async up(db, dialect) {
    await db.schema.alterTable('repositories').addColumn('default_branch_protection', dialect.json).execute();
  },
};
