import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Moves the options of jobs to a table of their own: jobs of a pipeline can share rows, and status changes no longer rewrite the
 * options.
 */
export const migration: Migration = {
  name: '0105_job_option_parts',
  async up(db, dialect) {
    await db.schema
      .createTable('job_option_parts')
      .addColumn('id', ...dialect.id)
      .addColumn('pipeline_id', dialect.integer, (column) =>
        column.notNull().references('pipelines.id').onDelete('cascade'),
      )
      .addColumn('name', dialect.text)
      .addColumn('value', dialect.json, (column) => column.notNull())
      // Only for this migration: the job from which a row was copied.
      .addColumn('job_id', dialect.integer)
      .execute();
    await db.schema
      .alterTable('jobs')
      .addColumn('option_parts', dialect.json, (column) => column.notNull().defaultTo('[]'))
      .execute();
    await sql`insert into job_option_parts (pipeline_id, value, job_id) select pipeline_id, options, id from jobs`.execute(
      db,
    );
    await db.schema.createIndex('job_option_parts_by_job').on('job_option_parts').column('job_id').execute();
    await sql`update jobs set option_parts =
      (select '[' || part.id || ']' from job_option_parts as part where part.job_id = jobs.id)`.execute(db);
    await db.schema.dropIndex('job_option_parts_by_job').execute();
    await db.schema.alterTable('job_option_parts').dropColumn('job_id').execute();
    await db.schema.alterTable('jobs').dropColumn('options').execute();
    await db.schema
      .createIndex('job_option_parts_by_pipeline')
      .on('job_option_parts')
      .columns(['pipeline_id', 'id'])
      .execute();
  },
};
