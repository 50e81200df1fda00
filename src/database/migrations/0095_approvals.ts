import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Approvals of merge requests, the state of reviewers, and the patch ids of versions. */
export const migration: Migration = {
  name: '0095_approvals',
  async up(db, dialect) {
    await db.schema
      .createTable('merge_request_approvals')
      .addColumn('id', ...dialect.id)
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.notNull().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('merge_request_approvals_by_merge_request')
      .on('merge_request_approvals')
      .columns(['merge_request_id', 'user_id'])
      .unique()
      .execute();
    await db.schema
      .createIndex('merge_request_approvals_by_user')
      .on('merge_request_approvals')
      .columns(['user_id', 'merge_request_id'])
      .execute();
    await db.schema
      .alterTable('merge_request_reviewers')
      .addColumn('state', dialect.text, (column) => column.notNull().defaultTo('unreviewed'))
      .execute();
    await db.schema.alterTable('merge_request_reviewers').addColumn('created_at', dialect.timestamp).execute();
    await sql`
      update merge_request_reviewers set created_at = (
        select merge_requests.created_at from merge_requests where merge_requests.id = merge_request_reviewers.merge_request_id
      )`.execute(db);
    await db.schema.alterTable('merge_request_versions').addColumn('patch_id_sha', dialect.text).execute();
  },
};
