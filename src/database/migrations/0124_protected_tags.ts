import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Protected tags: rules that restrict who may create tags. */
export const migration: Migration = {
  name: '0124_protected_tags',
  async up(db, dialect) {
    await db.schema
      .createTable('protected_tags')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('protected_tags_by_name')
      .on('protected_tags')
      .columns(['project_id', 'name'])
      .unique()
      .execute();
    const levelsTable = 'protected_tag_access_levels';
    await db.schema
      .createTable(levelsTable)
      .addColumn('id', ...dialect.id)
      .addColumn('protected_tag_id', dialect.integer, (column) =>
        column.notNull().references('protected_tags.id').onDelete('cascade'),
      )
      .addColumn('access_level', dialect.integer, (column) => column.notNull())
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('cascade'))
      .execute();
    await db.schema
      .createIndex('protected_tag_levels_by_rule')
      .on(levelsTable)
      .columns(['protected_tag_id', 'id'])
      .execute();
    await db.schema
      .createIndex('protected_tag_levels_of_user')
      .on(levelsTable)
      .columns(['user_id', 'id'])
      .where(sql.ref('user_id'), 'is not', null)
      .execute();
  },
};
