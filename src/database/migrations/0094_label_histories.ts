import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const NOTEABLE_TABLES = { issue: 'issues', merge_request: 'merge_requests', epic: 'epics' };

/** Events that record changes of labels and weights, and subscriptions to labels. */
export const migration: Migration = {
  name: '0094_label_histories',
  async up(db, dialect) {
    let labelEvents = db.schema
      .createTable('resource_label_events')
      .addColumn('id', ...dialect.id)
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('label_id', dialect.integer, (column) => column.references('labels.id').onDelete('set null'));
    for (const [noteable, table] of Object.entries(NOTEABLE_TABLES)) {
      labelEvents = labelEvents.addColumn(`${noteable}_id`, dialect.integer, (column) =>
        column.references(`${table}.id`).onDelete('cascade'),
      );
    }
    await labelEvents
      .addColumn('action', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    for (const noteable of Object.keys(NOTEABLE_TABLES)) {
      await db.schema
        .createIndex(`resource_label_events_by_${noteable}`)
        .on('resource_label_events')
        .columns([`${noteable}_id`, 'id'])
        .where(sql.ref(`${noteable}_id`), 'is not', null)
        .execute();
    }
    for (const reference of ['user', 'label']) {
      await db.schema
        .createIndex(`resource_label_events_by_${reference}`)
        .on('resource_label_events')
        .column(`${reference}_id`)
        .execute();
    }
    await db.schema
      .createTable('resource_weight_events')
      .addColumn('id', ...dialect.id)
      .addColumn('issue_id', dialect.integer, (column) => column.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('weight', dialect.integer)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('resource_weight_events_by_issue')
      .on('resource_weight_events')
      .columns(['issue_id', 'id'])
      .execute();
    await db.schema
      .createIndex('resource_weight_events_by_user')
      .on('resource_weight_events')
      .column('user_id')
      .execute();
    await db.schema
      .createTable('label_subscriptions')
      .addColumn('id', ...dialect.id)
      .addColumn('label_id', dialect.integer, (column) => column.notNull().references('labels.id').onDelete('cascade'))
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    // Without a project the subscription applies everywhere.
    await sql`create unique index label_subscriptions_by_label on label_subscriptions
      (label_id, user_id, coalesce(project_id, 0))`.execute(db);
    for (const reference of ['user', 'project']) {
      await db.schema
        .createIndex(`label_subscriptions_by_${reference}`)
        .on('label_subscriptions')
        .column(`${reference}_id`)
        .execute();
    }
  },
};
