import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Iterations of groups, their cadences, and their issues. */
export const migration: Migration = {
  name: '0053_iterations',
  async up(db, dialect) {
    const groupIdColumn = 'namespaces.id';
    await db.schema
      .createTable('iteration_cadences')
      .addColumn('id', ...dialect.id)
      .addColumn('group_id', dialect.integer, (column) =>
        column.notNull().references(groupIdColumn).onDelete('cascade'),
      )
      .addColumn('title', dialect.text, (column) => column.notNull())
      .addColumn('title_key', dialect.key, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('active', dialect.boolean, (column) => column.notNull())
      .addColumn('automatic', dialect.boolean, (column) => column.notNull())
      .addColumn('start_date', dialect.text)
      .addColumn('duration_in_weeks', dialect.integer)
      .addColumn('iterations_in_advance', dialect.integer)
      .addColumn('roll_over', dialect.boolean, (column) => column.notNull())
      .addColumn('next_run_date', dialect.text)
      .addColumn('rolled_over_until', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('iteration_cadences_by_group')
      .on('iteration_cadences')
      .columns(['group_id', 'title', 'id'])
      .execute();
    await db.schema
      .createIndex('iteration_cadences_by_next_run')
      .on('iteration_cadences')
      .columns(['next_run_date', 'group_id'])
      .where(sql.ref('next_run_date'), 'is not', null)
      .execute();
    await db.schema
      .createTable('iterations')
      .addColumn('id', ...dialect.id)
      .addColumn('group_id', dialect.integer, (column) =>
        column.notNull().references(groupIdColumn).onDelete('cascade'),
      )
      .addColumn('cadence_id', dialect.integer, (column) =>
        column.notNull().references('iteration_cadences.id').onDelete('cascade'),
      )
      .addColumn('iid', dialect.integer, (column) => column.notNull())
      .addColumn('title', dialect.text)
      .addColumn('title_key', dialect.key)
      .addColumn('description', dialect.text)
      .addColumn('start_date', dialect.text, (column) => column.notNull())
      .addColumn('due_date', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('iterations_by_iid').on('iterations').columns(['group_id', 'iid']).unique().execute();
    await db.schema
      .createIndex('iterations_by_title')
      .on('iterations')
      .columns(['title', 'cadence_id'])
      .unique()
      .where(sql.ref('title'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('iterations_by_cadence')
      .on('iterations')
      .columns(['cadence_id', 'start_date', 'due_date'])
      .execute();
    // Index for current and upcoming iterations.
    await db.schema
      .createIndex('iterations_by_due_date')
      .on('iterations')
      .columns(['due_date', 'start_date'])
      .execute();
    await db.schema
      .alterTable('issues')
      .addColumn('iteration_id', dialect.integer, (column) => column.references('iterations.id').onDelete('set null'))
      .execute();
    for (const [name, columns] of [
      ['issues_by_iteration', ['iteration_id', 'state', 'id']],
      ['issues_by_project_iteration', ['project_id', 'iteration_id', 'state']],
    ] as const) {
      await db.schema
        .createIndex(name)
        .on('issues')
        .columns([...columns])
        .where(sql.ref('iteration_id'), 'is not', null)
        .execute();
    }
    // Covering index, as for the other sort orders of issue lists (0050).
    await db.schema.dropIndex('issues_by_position').execute();
    await db.schema
      .createIndex('issues_by_position')
      .on('issues')
      .columns(['project_id', 'relative_position', 'id', 'state', 'confidential', 'author_id'])
      .execute();
  },
};
