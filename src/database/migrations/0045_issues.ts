import { sql } from 'kysely';
import { makeWordsSearchable } from '../search/trigrams.ts';
import type { Migration } from './migration.ts';

/** Issues with their assignees, labels and subscriptions. */
export const migration: Migration = {
  name: '0045_issues',
  async up(db, dialect) {
    await db.schema
      .createTable('issues')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
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
      .addColumn('discussion_locked', dialect.boolean)
      .addColumn('issue_type', dialect.text, (column) => column.notNull())
      .addColumn('start_date', dialect.text)
      .addColumn('due_date', dialect.text)
      .addColumn('weight', dialect.integer)
      .addColumn('relative_position', dialect.integer, (column) => column.notNull())
      .addColumn('time_estimate', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('total_time_spent', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('task_count', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('completed_task_count', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('user_notes_count', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('upvotes', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('downvotes', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('milestone_id', dialect.integer, (column) => column.references('milestones.id').onDelete('set null'))
      .addColumn('moved_to_id', dialect.integer, (column) => column.references('issues.id').onDelete('set null'))
      .addColumn('imported_from', dialect.text, (column) => column.notNull().defaultTo('none'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('issues_by_iid').on('issues').columns(['project_id', 'iid']).unique().execute();
    await db.schema
      .createIndex('issues_by_position')
      .on('issues')
      .columns(['project_id', 'relative_position', 'id'])
      .execute();
    for (const column of ['author_id', 'closed_by_id', 'milestone_id', 'moved_to_id']) {
      await db.schema
        .createIndex(`issues_by_${column.replace(/_id$/, '')}`)
        .on('issues')
        .columns([column, 'id'])
        .execute();
    }
    await makeWordsSearchable(db, dialect, 'issues', ['title_key', 'description_key']);
    await db.schema
      .createTable('issue_assignees')
      // Ids keep the order of assignment.
      .addColumn('id', ...dialect.id)
      .addColumn('issue_id', dialect.integer, (column) => column.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .execute();
    await db.schema
      .createIndex('issue_assignees_by_issue')
      .on('issue_assignees')
      .columns(['issue_id', 'user_id'])
      .unique()
      .execute();
    await db.schema
      .createIndex('issue_assignees_by_user')
      .on('issue_assignees')
      .columns(['user_id', 'issue_id'])
      .execute();
    await db.schema
      .createTable('issue_labels')
      .addColumn('issue_id', dialect.integer, (column) => column.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('label_id', dialect.integer, (column) => column.notNull().references('labels.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('issue_labels_pkey', ['issue_id', 'label_id'])
      .execute();
    await db.schema.createIndex('issue_labels_by_label').on('issue_labels').columns(['label_id', 'issue_id']).execute();
    await db.schema
      .createTable('subscriptions')
      .addColumn('id', ...dialect.id)
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
      .addColumn('subscribed', dialect.boolean, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('subscriptions_by_issue')
      .on('subscriptions')
      .columns(['issue_id', 'user_id'])
      .unique()
      .execute();
    await db.schema.createIndex('subscriptions_by_user').on('subscriptions').columns(['user_id', 'id']).execute();
  },
};
