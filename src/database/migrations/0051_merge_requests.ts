import { sql } from 'kysely';
import { makeWordsSearchable } from '../search/trigrams.ts';
import type { Migration } from './migration.ts';

/** Merge requests with their assignees, reviewers, labels, and versions. */
export const migration: Migration = {
  name: '0051_merge_requests',
  async up(db, dialect) {
    const counterColumns = [
      'time_estimate',
      'total_time_spent',
      'task_count',
      'completed_task_count',
      'user_notes_count',
    ];
    let table = db.schema
      .createTable('merge_requests')
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
      .addColumn('draft', dialect.boolean, (column) => column.notNull())
      .addColumn('source_branch', dialect.text, (column) => column.notNull())
      .addColumn('target_branch', dialect.text, (column) => column.notNull())
      .addColumn('head_sha', dialect.text, (column) => column.notNull())
      .addColumn('closed_at', dialect.timestamp)
      .addColumn('closed_by_id', dialect.integer, (column) => column.references('users.id'))
      .addColumn('merged_at', dialect.timestamp)
      .addColumn('merged_by_id', dialect.integer, (column) => column.references('users.id'))
      .addColumn('merge_commit_sha', dialect.text)
      .addColumn('squash_commit_sha', dialect.text)
      .addColumn('merged_sha', dialect.text)
      .addColumn('merge_error', dialect.text)
      .addColumn('merge_status', dialect.text, (column) => column.notNull())
      .addColumn('merge_check', dialect.text)
      .addColumn('squash', dialect.boolean, (column) => column.notNull())
      .addColumn('should_remove_source_branch', dialect.boolean)
      .addColumn('force_remove_source_branch', dialect.boolean)
      .addColumn('discussion_locked', dialect.boolean);
    for (const name of [...counterColumns, 'upvotes', 'downvotes'] as const) {
      table = table.addColumn(name, dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)));
    }
    await table
      .addColumn('milestone_id', dialect.integer, (column) => column.references('milestones.id').onDelete('set null'))
      .addColumn('imported_from', dialect.text, (column) => column.notNull().defaultTo('none'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('merge_requests_by_iid')
      .on('merge_requests')
      .columns(['project_id', 'iid'])
      .unique()
      .execute();
    // Only one open merge request may exist for the same branches.
    await db.schema
      .createIndex('merge_requests_open_by_branches')
      .on('merge_requests')
      .columns(['project_id', 'source_branch', 'target_branch'])
      .unique()
      .where(sql.ref('state'), '=', sql.lit('opened'))
      .execute();
    for (const column of ['author_id', 'closed_by_id', 'merged_by_id', 'milestone_id']) {
      await db.schema
        .createIndex(`merge_requests_by_${column.replace(/_id$/, '')}`)
        .on('merge_requests')
        .columns([column, 'id'])
        .execute();
    }
    await makeWordsSearchable(db, dialect, 'merge_requests', ['title_key', 'description_key']);
    for (const name of ['merge_request_assignees', 'merge_request_reviewers']) {
      await db.schema
        .createTable(name)
        // Ids keep the order of assignment.
        .addColumn('id', ...dialect.id)
        .addColumn('merge_request_id', dialect.integer, (column) =>
          column.notNull().references('merge_requests.id').onDelete('cascade'),
        )
        .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
        .execute();
      await db.schema
        .createIndex(`${name}_by_merge_request`)
        .on(name)
        .columns(['merge_request_id', 'user_id'])
        .unique()
        .execute();
      await db.schema.createIndex(`${name}_by_user`).on(name).columns(['user_id', 'merge_request_id']).execute();
    }
    await db.schema
      .createTable('merge_request_labels')
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.notNull().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('label_id', dialect.integer, (column) => column.notNull().references('labels.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('merge_request_labels_pkey', ['merge_request_id', 'label_id'])
      .execute();
    await db.schema
      .createIndex('merge_request_labels_by_label')
      .on('merge_request_labels')
      .columns(['label_id', 'merge_request_id'])
      .execute();
    await db.schema
      .createTable('merge_request_versions')
      .addColumn('id', ...dialect.id)
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.notNull().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('head_commit_sha', dialect.text, (column) => column.notNull())
      .addColumn('base_commit_sha', dialect.text)
      .addColumn('start_commit_sha', dialect.text)
      .addColumn('state', dialect.text)
      .addColumn('real_size', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('merge_request_versions_by_merge_request')
      .on('merge_request_versions')
      .columns(['merge_request_id', 'id'])
      .execute();
    await db.schema
      .createTable('merge_request_closes_issues')
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.notNull().references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('issue_id', dialect.integer, (column) => column.notNull().references('issues.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('merge_request_closes_issues_pkey', ['merge_request_id', 'issue_id'])
      .execute();
    await db.schema
      .createIndex('merge_request_closes_issues_by_issue')
      .on('merge_request_closes_issues')
      .columns(['issue_id', 'merge_request_id'])
      .execute();
  },
};
