import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Pipeline schedules with their variables, and the schedule of each pipeline. */
export const migration: Migration = {
  name: '0089_pipeline_schedules',
  async up(db, dialect) {
    const schedulesTable = 'pipeline_schedules';
    await db.schema
      .createTable(schedulesTable)
      .addColumn('id', ...dialect.id)
      // Cascade, because a project has at most ten schedules.
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('owner_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('description', dialect.text, (column) => column.notNull())
      .addColumn('ref', dialect.text, (column) => column.notNull())
      .addColumn('cron', dialect.text, (column) => column.notNull())
      .addColumn('cron_timezone', dialect.text, (column) => column.notNull())
      .addColumn('next_run_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('active', dialect.boolean, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex(`${schedulesTable}_by_project`)
      .on(schedulesTable)
      .columns(['project_id', 'id'])
      .execute();
    await db.schema.createIndex(`${schedulesTable}_by_owner`).on(schedulesTable).columns(['owner_id', 'id']).execute();
    await db.schema
      .createIndex(`${schedulesTable}_due`)
      .on(schedulesTable)
      .columns(['active', 'next_run_at', 'id'])
      .execute();
    const variablesTable = 'pipeline_schedule_variables';
    await db.schema
      .createTable(variablesTable)
      .addColumn('id', ...dialect.id)
      .addColumn('schedule_id', dialect.integer, (column) =>
        column.notNull().references('pipeline_schedules.id').onDelete('cascade'),
      )
      .addColumn('key', dialect.text, (column) => column.notNull())
      .addColumn('value', dialect.text, (column) => column.notNull())
      .addColumn('variable_type', dialect.text, (column) => column.notNull())
      .addColumn('raw', dialect.boolean, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex(`${variablesTable}_by_key`)
      .on(variablesTable)
      .columns(['schedule_id', 'key'])
      .unique()
      .execute();
    // No foreign key: a deleted schedule may have very many pipelines, which then need no update.
    await db.schema.alterTable('pipelines').addColumn('schedule_id', dialect.integer).execute();
    await db.schema
      .createIndex('pipelines_by_schedule')
      .on('pipelines')
      .columns(['schedule_id', 'id'])
      .where(sql.ref('schedule_id'), 'is not', null)
      .execute();
  },
};
