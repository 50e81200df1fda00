import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Events with a column of their own. */
const EVENTS = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
  'approver',
];

/** Notification settings of users: global, per group, and per project. */
export const migration: Migration = {
  name: '0048_notification_settings',
  async up(db, dialect) {
    let table = db.schema
      .createTable('notification_settings')
      .addColumn('id', ...dialect.id)
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('level', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint(
        'notification_settings_level',
        sql`level in ('disabled', 'participating', 'watch', 'global', 'mention', 'custom')`,
      )
      .addCheckConstraint('notification_settings_source', sql`group_id is null or project_id is null`);
    for (const event of EVENTS) table = table.addColumn(event, dialect.boolean);
    await table.execute();
    await db.schema
      .createIndex('notification_settings_everywhere')
      .on('notification_settings')
      .column('user_id')
      .unique()
      .where(sql.ref('group_id'), 'is', null)
      .where(sql.ref('project_id'), 'is', null)
      .execute();
    for (const source of ['group', 'project']) {
      await db.schema
        .createIndex(`notification_settings_by_${source}`)
        .on('notification_settings')
        .columns([`${source}_id`, 'user_id'])
        .unique()
        .execute();
    }
    await db.schema
      .createIndex('notification_settings_by_user')
      .on('notification_settings')
      .column('user_id')
      .execute();
  },
};
