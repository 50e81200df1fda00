import { sql } from 'kysely';
import { makeWordsSearchable } from '../search/trigrams.ts';
import type { Migration } from './migration.ts';

/** Epics of groups with their labels and issues. */
export const migration: Migration = {
  name: '0052_epics',
  async up(db, dialect) {
    let table = db.schema
      .createTable('epics')
      .addColumn('id', ...dialect.id)
      .addColumn('group_id', dialect.integer, (column) =>
        column.notNull().references('namespaces.id').onDelete('cascade'),
      )
      .addColumn('iid', dialect.integer, (column) => column.notNull())
      .addColumn('title', dialect.text, (column) => column.notNull())
      .addColumn('title_key', dialect.key, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('description_key', dialect.key)
      .addColumn('author_id', dialect.integer, (column) => column.notNull().references('users.id'))
      .addColumn('state', dialect.text, (column) => column.notNull())
      .addColumn('closed_at', dialect.timestamp)
      .addColumn('closed_by_id', dialect.integer, (column) => column.references('users.id'))
      .addColumn('confidential', dialect.boolean, (column) => column.notNull())
      .addColumn('color', dialect.text, (column) => column.notNull())
      .addColumn('parent_id', dialect.integer, (column) => column.references('epics.id').onDelete('set null'))
      .addColumn('dates_are_fixed', dialect.boolean, (column) => column.notNull())
      .addColumn('start_date_fixed', dialect.text)
      .addColumn('due_date_fixed', dialect.text);
    for (const name of ['task_count', 'completed_task_count', 'user_notes_count', 'upvotes', 'downvotes'] as const) {
      table = table.addColumn(name, dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)));
    }
    await table
      .addColumn('imported_from', dialect.text, (column) => column.notNull().defaultTo('none'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('epics_by_iid').on('epics').columns(['group_id', 'iid']).unique().execute();
    for (const column of ['author_id', 'closed_by_id', 'parent_id']) {
      await db.schema
        .createIndex(`epics_by_${column.replace(/_id$/, '')}`)
        .on('epics')
        .columns([column, 'id'])
        .execute();
    }
    await makeWordsSearchable(db, dialect, 'epics', ['title_key', 'description_key']);
    await db.schema
      .createTable('epic_labels')
      .addColumn('epic_id', dialect.integer, (column) => column.notNull().references('epics.id').onDelete('cascade'))
      .addColumn('label_id', dialect.integer, (column) => column.notNull().references('labels.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('epic_labels_pkey', ['epic_id', 'label_id'])
      .execute();
    await db.schema.createIndex('epic_labels_by_label').on('epic_labels').columns(['label_id', 'epic_id']).execute();
    await db.schema
      .createTable('epic_issues')
      .addColumn('id', ...dialect.id)
      .addColumn('epic_id', dialect.integer, (column) => column.notNull().references('epics.id').onDelete('cascade'))
      .addColumn('issue_id', dialect.integer, (column) => column.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('relative_position', dialect.integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('epic_issues_by_issue').on('epic_issues').column('issue_id').unique().execute();
    await db.schema
      .createIndex('epic_issues_by_epic')
      .on('epic_issues')
      .columns(['epic_id', 'relative_position', 'id'])
      .execute();
  },
};
