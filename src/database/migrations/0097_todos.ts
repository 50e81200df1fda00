import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** To-do items of users, each caused by an event of an issue, a merge request or an epic. */
export const migration: Migration = {
  name: '0097_todos',
  async up(db, dialect) {
    await db.schema
      .createTable('todos')
      .addColumn('id', ...dialect.id)
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('author_id', dialect.integer, (column) => column.notNull().references('users.id'))
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('epic_id', dialect.integer, (column) => column.references('epics.id').onDelete('cascade'))
      .addColumn('note_id', dialect.integer, (column) => column.references('notes.id').onDelete('cascade'))
      .addColumn('action', dialect.text, (column) => column.notNull())
      .addColumn('state', dialect.text, (column) => column.notNull().defaultTo('pending'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('todos_state', sql`state in ('pending', 'done')`)
      .addCheckConstraint(
        'todos_target',
        sql`(case when issue_id is null then 0 else 1 end) + (case when merge_request_id is null then 0 else 1 end)
          + (case when epic_id is null then 0 else 1 end) = 1`,
      )
      .execute();
    await db.schema.createIndex('todos_by_user').on('todos').columns(['user_id', 'state', 'id']).execute();
    await db.schema.createIndex('todos_by_author').on('todos').column('author_id').execute();
    const createIndex = (name: string, firstColumn: string, otherColumns: string) =>
      sql`create index ${sql.id(name)} on todos (${sql.id(firstColumn)}${sql.raw(otherColumns)})
        where ${sql.id(firstColumn)} is not null`.execute(db);
    await createIndex('todos_by_note', 'note_id', '');
    for (const container of ['project', 'group'])
      await createIndex(`todos_by_${container}`, `${container}_id`, ', user_id, id');
    for (const noteable of ['issue', 'merge_request', 'epic']) {
      await createIndex(`todos_by_${noteable}`, `${noteable}_id`, ', user_id, id');
      await sql`create unique index ${sql.id(`todos_pending_by_${noteable}`)} on todos (${sql.id(`${noteable}_id`)}, user_id, action)
        where state = 'pending' and action not in ('mentioned', 'directly_addressed')`.execute(db);
    }
    // Stores whether users were notified of the conflict, so that they are notified once.
    await db.schema
      .alterTable('merge_requests')
      .addColumn('conflicts_told', dialect.boolean, (column) => column.notNull().defaultTo(false))
      .execute();
  },
};
