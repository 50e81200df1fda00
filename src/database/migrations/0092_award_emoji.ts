import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Emoji that users award to issues, merge requests, epics and notes. */
export const migration: Migration = {
  name: '0092_award_emoji',
  async up(db, dialect) {
    const tablesByColumn = {
      issue_id: 'issues',
      merge_request_id: 'merge_requests',
      epic_id: 'epics',
      note_id: 'notes',
    };
    let table = db.schema
      .createTable('award_emoji')
      .addColumn('id', ...dialect.id)
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('name', dialect.text, (column) => column.notNull());
    for (const [column, referencedTable] of Object.entries(tablesByColumn)) {
      table = table.addColumn(column, dialect.integer, (definition) =>
        definition.references(`${referencedTable}.id`).onDelete('cascade'),
      );
    }
    await table
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    // Exactly one of the four columns is set. Rows of deleted users have a null `user_id` and may have the same name.
    await sql`create unique index award_emoji_by_user on award_emoji
      (user_id, name, coalesce(issue_id, 0), coalesce(merge_request_id, 0), coalesce(epic_id, 0), coalesce(note_id, 0))`.execute(
      db,
    );
    for (const column of Object.keys(tablesByColumn)) {
      await db.schema
        .createIndex(`award_emoji_by_${column.replace(/_id$/, '')}`)
        .on('award_emoji')
        .columns([column, 'id'])
        .where(sql.ref(column), 'is not', null)
        .execute();
    }
  },
};
