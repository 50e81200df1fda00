import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Counts how many processes died while they ran a job, so that a faulty job cannot crash one process after another. */
export const migration: Migration = {
  name: '0104_process_deaths',
  async up(db) {
    await db.schema
      .alterTable('background_jobs')
      .addColumn('process_deaths', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('background_jobs_suspects')
      .on('background_jobs')
      .columns(['run_at', 'id'])
      .where(sql.ref('state'), '=', sql.lit('pending'))
      .where(sql.ref('process_deaths'), '>', sql.lit(0))
      .execute();
  },
};
