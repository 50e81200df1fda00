import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Renames the table of background jobs: the name `jobs` belongs to the jobs of pipelines. */
export const migration: Migration = {
  name: '0065_background_jobs',
  async up(db) {
    await db.schema.alterTable('jobs').renameTo('background_jobs').execute();
    for (const name of ['by_run_at', 'waiting_by_key', 'leased', 'dead']) {
      await db.schema.dropIndex(`jobs_${name}`).execute();
    }
    await db.schema
      .createIndex('background_jobs_by_run_at')
      .on('background_jobs')
      .columns(['run_at', 'id'])
      .where(sql.ref('state'), '=', sql.lit('pending'))
      .execute();
    await db.schema
      .createIndex('background_jobs_waiting_by_key')
      .on('background_jobs')
      .columns(['kind', 'key'])
      .unique()
      .where(sql.ref('state'), '=', sql.lit('pending'))
      .where(sql.ref('lease_owner'), 'is', null)
      .where(sql.ref('key'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('background_jobs_leased')
      .on('background_jobs')
      .columns(['lease_owner', 'kind', 'key'])
      .where(sql.ref('lease_owner'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('background_jobs_dead')
      .on('background_jobs')
      .column('id')
      .where(sql.ref('state'), '=', sql.lit('dead'))
      .execute();
  },
};
