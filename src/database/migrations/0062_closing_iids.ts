import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Stores the iids of the issues that a merge request closes, so that an issue created later is closed too. */
export const migration: Migration = {
  name: '0062_closing_iids',
  async up(db, dialect) {
    await db.schema
      .createTable('merge_request_closing_iids')
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.notNull().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('project_id', dialect.integer, (column) => column.notNull())
      .addColumn('issue_iid', dialect.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('merge_request_closing_iids_pkey', ['merge_request_id', 'issue_iid'])
      .execute();
    await sql`
      insert into merge_request_closing_iids (merge_request_id, project_id, issue_iid)
      select closing.merge_request_id, issues.project_id, issues.iid
      from merge_request_closes_issues as closing join issues on issues.id = closing.issue_id
    `.execute(db);
    await db.schema
      .createIndex('merge_request_closing_iids_by_issue')
      .on('merge_request_closing_iids')
      .columns(['project_id', 'issue_iid', 'merge_request_id'])
      .execute();
    await db.schema.dropTable('merge_request_closes_issues').execute();
  },
};
