import type { Migration } from './migration.ts';

/** Auto-merges and running rebases of merge requests. */
export const migration: Migration = {
  name: '0096_auto_merges',
  async up(db, dialect) {
    await db.schema
      .createTable('merge_request_auto_merges')
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.primaryKey().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('wish', dialect.json, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('merge_request_auto_merges_by_user')
      .on('merge_request_auto_merges')
      .columns(['user_id', 'merge_request_id'])
      .execute();
    await db.schema
      .createTable('merge_request_rebases')
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.primaryKey().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('head_sha', dialect.text, (column) => column.notNull())
      .addColumn('skip_ci', dialect.boolean, (column) => column.notNull())
      .addColumn('lease_until', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('merge_request_rebases_by_user')
      .on('merge_request_rebases')
      .columns(['user_id', 'merge_request_id'])
      .execute();
  },
};
