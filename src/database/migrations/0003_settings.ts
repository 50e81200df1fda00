import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Application settings and feature flags. */
export const migration: Migration = {
  name: '0003_settings',
  async up(db, dialect) {
    await db.schema
      .createTable('application_settings')
      .addColumn('id', dialect.integer, (column) => column.primaryKey())
      .addColumn('value', dialect.json, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('application_settings_one_row', sql`id = 1`)
      .execute();
    await db.schema
      .createTable('feature_flags')
      .addColumn('id', ...dialect.id)
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('on_for_all', dialect.boolean, (column) => column.notNull().defaultTo(false))
      .addColumn('percentage_of_time', dialect.real)
      .addColumn('percentage_of_actors', dialect.real)
      .addColumn('actors', dialect.json, (column) => column.notNull().defaultTo('[]'))
      .addColumn('feature_groups', dialect.json, (column) => column.notNull().defaultTo('[]'))
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('feature_flags_percentage_of_time', sql`percentage_of_time > 0 and percentage_of_time < 100`)
      .addCheckConstraint(
        'feature_flags_percentage_of_actors',
        sql`percentage_of_actors > 0 and percentage_of_actors < 100`,
      )
      .execute();
    await db.schema.createIndex('feature_flags_by_name').on('feature_flags').column('name').unique().execute();
  },
};
