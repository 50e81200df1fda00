import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Commit statuses of external systems, in addition to the jobs of pipelines. Adds the index of the newest successful pipeline
 * of a ref, for downloads of artifacts archives.
 */
export const migration: Migration = {
  name: '0090_commit_statuses',
  async up(db, dialect) {
    await db.schema
      .createIndex('pipelines_successful')
      .on('pipelines')
      .columns(['project_id', 'ref', 'id'])
      .where(sql.ref('status'), '=', sql.lit('success'))
      .execute();
    await db.schema
      .createTable('commit_statuses')
      // Ids are distinct from those of jobs, because lists contain both.
      .addColumn('id', dialect.integer, (column) => column.primaryKey())
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('pipeline_id', dialect.integer, (column) =>
        column.notNull().references('pipelines.id').onDelete('cascade'),
      )
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('status', dialect.text, (column) => column.notNull())
      .addColumn('retried', dialect.boolean, (column) => column.notNull())
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('target_url', dialect.text)
      .addColumn('description', dialect.text)
      .addColumn('coverage', dialect.real)
      .addColumn('failure_reason', dialect.text)
      .addColumn('started_at', dialect.timestamp)
      .addColumn('finished_at', dialect.timestamp)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    const indexes = {
      commit_statuses_by_project: ['project_id', 'id'],
      commit_statuses_by_pipeline: ['pipeline_id', 'id'],
      commit_statuses_by_user: ['user_id', 'id'],
    };
    for (const [name, columns] of Object.entries(indexes)) {
      await db.schema.createIndex(name).on('commit_statuses').columns(columns).execute();
    }
    const isLatest = sql<boolean>`not retried`;
    await db.schema
      .createIndex('commit_statuses_latest_by_name')
      .on('commit_statuses')
      .columns(['pipeline_id', 'name'])
      .unique()
      .where(isLatest)
      .execute();
    // For the status of a pipeline, which depends on the set of statuses, not on their numbers.
    await db.schema
      .createIndex('commit_statuses_latest_by_status')
      .on('commit_statuses')
      .columns(['pipeline_id', 'status'])
      .where(isLatest)
      .execute();
  },
};
