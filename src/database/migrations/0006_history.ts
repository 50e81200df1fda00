import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Activity events and audit events. */
export const migration: Migration = {
  name: '0006_history',
  async up(db, dialect) {
    await db.schema
      .createTable('activity_events')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) => column.notNull())
      .addColumn('author_id', dialect.integer, (column) => column.notNull())
      .addColumn('action', dialect.text, (column) => column.notNull())
      .addColumn('action_name', dialect.text, (column) => column.notNull())
      .addColumn('target_type', dialect.text)
      .addColumn('target_id', dialect.integer)
      .addColumn('target_iid', dialect.integer)
      .addColumn('imported_from', dialect.text, (column) => column.notNull().defaultTo('none'))
      .addColumn('push_action', dialect.text)
      .addColumn('ref_type', dialect.text)
      .addColumn('commit_count', dialect.integer)
      .addColumn('commit_from', dialect.text)
      .addColumn('commit_to', dialect.text)
      .addColumn('ref', dialect.text)
      .addColumn('commit_title', dialect.text)
      .addColumn('ref_count', dialect.integer)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint(
        'activity_events_action',
        sql`action in ('created', 'updated', 'closed', 'reopened', 'pushed', 'commented', 'merged', 'joined', 'left',
          'destroyed', 'expired', 'approved')`,
      )
      .addCheckConstraint(
        'activity_events_push',
        sql`(action = 'pushed') = (push_action is not null)
          and (push_action is null) = (ref_type is null)
          and (push_action is null) = (commit_count is null)
          and (push_action is null or target_type is null)`,
      )
      .addCheckConstraint('activity_events_push_action', sql`push_action in ('created', 'pushed', 'removed')`)
      .addCheckConstraint('activity_events_ref_type', sql`ref_type in ('branch', 'tag')`)
      .addCheckConstraint('activity_events_commit_count', sql`commit_count >= 0`)
      .addCheckConstraint('activity_events_commit_title', sql`length(commit_title) <= 70`)
      .addCheckConstraint('activity_events_imported_from', sql`imported_from in ('none', 'gitlab_migration')`)
      .execute();
    await db.schema
      .createIndex('activity_events_by_project')
      .on('activity_events')
      .columns(['project_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('activity_events_by_author')
      .on('activity_events')
      .columns(['author_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('activity_events_by_created_at')
      .on('activity_events')
      .columns(['created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('activity_events_by_target')
      .on('activity_events')
      .columns(['target_id', 'target_type'])
      .where(sql.ref('target_id'), 'is not', null)
      .execute();

    await db.schema
      .createTable('audit_events')
      .addColumn('id', ...dialect.id)
      .addColumn('author_id', dialect.integer, (column) => column.notNull())
      .addColumn('entity_type', dialect.text, (column) => column.notNull())
      .addColumn('entity_id', dialect.integer, (column) => column.notNull())
      .addColumn('event_name', dialect.text, (column) => column.notNull())
      .addColumn('details', dialect.json, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint(
        'audit_events_entity_type',
        sql`entity_type in ('User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope')`,
      )
      .execute();
    await db.schema
      .createIndex('audit_events_by_entity')
      .on('audit_events')
      .columns(['entity_type', 'entity_id', 'id'])
      .execute();
    await db.schema.createIndex('audit_events_by_kind').on('audit_events').columns(['entity_type', 'id']).execute();
    await db.schema
      .createIndex('audit_events_by_author')
      .on('audit_events')
      .columns(['author_id', 'entity_type', 'entity_id', 'id'])
      .execute();
    await db.schema
      .createIndex('audit_events_by_created_at')
      .on('audit_events')
      .columns(['created_at', 'id'])
      .execute();
  },
};
