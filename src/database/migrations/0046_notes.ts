import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Comments and system notes on issues. `issue_id` is nullable for notes on other objects, which 0054 adds. */
export const migration: Migration = {
  name: '0046_notes',
  async up(db, dialect) {
    await db.schema
      .createTable('notes')
      .addColumn('id', ...dialect.id)
      .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
      .addColumn('discussion_id', dialect.text, (column) => column.notNull())
      .addColumn('type', dialect.text)
      .addColumn('author_id', dialect.integer, (column) => column.notNull().references('users.id'))
      .addColumn('body', dialect.text, (column) => column.notNull())
      .addColumn('system', dialect.boolean, (column) => column.notNull())
      .addColumn('kind', dialect.text)
      .addColumn('mentioning_issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
      .addColumn('internal', dialect.boolean, (column) => column.notNull())
      .addColumn('imported_from', dialect.text, (column) => column.notNull().defaultTo('none'))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    for (const column of ['created_at', 'updated_at']) {
      await db.schema
        .createIndex(`notes_by_issue_${column.replace(/_at$/, '')}`)
        .on('notes')
        .columns(['issue_id', column, 'id'])
        .where(sql.ref('issue_id'), 'is not', null)
        .execute();
    }
    await db.schema
      .createIndex('notes_by_mention')
      .on('notes')
      .columns(['mentioning_issue_id', 'issue_id', 'kind'])
      .unique()
      .where(sql.ref('mentioning_issue_id'), 'is not', null)
      .execute();
    await db.schema.createIndex('notes_by_author').on('notes').columns(['author_id', 'issue_id']).execute();
  },
};
