import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Tokens that start pipelines, and the trigger of each pipeline. */
export const migration: Migration = {
  name: '0088_pipeline_triggers',
  async up(db, dialect) {
    await db.schema
      .createTable('pipeline_triggers')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('owner_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('description', dialect.text, (column) => column.notNull())
      .addColumn('encrypted_token', dialect.text, (column) => column.notNull())
      .addColumn('token_digest', dialect.text, (column) => column.notNull())
      .addColumn('short_token', dialect.text, (column) => column.notNull())
      .addColumn('expires_at', dialect.timestamp)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    const triggersTable = 'pipeline_triggers';
    await db.schema
      .createIndex(`${triggersTable}_by_token`)
      .on(triggersTable)
      .column('token_digest')
      .unique()
      .execute();
    await db.schema
      .createIndex(`${triggersTable}_by_project`)
      .on(triggersTable)
      .columns(['project_id', 'id'])
      .execute();
    await db.schema.createIndex(`${triggersTable}_by_owner`).on(triggersTable).columns(['owner_id', 'id']).execute();
    await db.schema
      .createIndex(`${triggersTable}_by_end`)
      .on(triggersTable)
      .columns(['expires_at', 'id'])
      .where(sql.ref('expires_at'), 'is not', null)
      .execute();
    // No foreign key: a deleted trigger may have a million pipelines, which then need no update.
    await db.schema.alterTable('pipelines').addColumn('trigger_id', dialect.integer).execute();
    await db.schema
      .createIndex('pipelines_by_trigger')
      .on('pipelines')
      .columns(['trigger_id', 'id'])
      .where(sql.ref('trigger_id'), 'is not', null)
      .execute();
  },
};
