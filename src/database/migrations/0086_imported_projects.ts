import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Marks projects that were imported from another server. */
export const migration: Migration = {
  name: '0086_imported_projects',
  async up(db, dialect) {
    await db.schema
      .alterTable('projects')
      .addColumn('imported_from', dialect.text, (column) => column.notNull().defaultTo('none'))
      .execute();
    await sql`create index projects_imported on projects (id) where imported_from <> 'none'`.execute(db);
  },
};
