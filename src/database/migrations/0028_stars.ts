import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Stars of users on projects, and the number of stars per project for lists. */
export const migration: Migration = {
  name: '0028_stars',
  async up(db, dialect) {
    await db.schema
      .createTable('stars')
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addPrimaryKeyConstraint('stars_pkey', ['user_id', 'project_id'])
      .execute();
    await db.schema
      .createIndex('stars_by_project')
      .on('stars')
      .columns(['project_id', 'created_at', 'user_id'])
      .execute();
    await db.schema
      .alterTable('projects')
      .addColumn('star_count', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute();
    await db.schema.createIndex('projects_by_star_count').on('projects').columns(['star_count', 'id']).execute();
  },
};
