import type { Migration } from './migration.ts';

/** Snippets of users, each with its own repository. */
export const migration: Migration = {
  name: '0079_snippets',
  async up(db, dialect) {
    await db.schema
      .createTable('snippets')
      .addColumn('id', ...dialect.id)
      .addColumn('author_id', dialect.integer, (column) => column.notNull().references('users.id'))
      .addColumn('title', dialect.text, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('visibility', dialect.text, (column) => column.notNull())
      .addColumn('files', dialect.text, (column) => column.notNull())
      .addColumn('storage', dialect.text, (column) => column.notNull())
      .addColumn('disk_path', dialect.text, (column) => column.notNull())
      .addColumn('made', dialect.boolean, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('snippets_made').on('snippets').columns(['made', 'id']).execute();
    await db.schema.createIndex('snippets_by_author').on('snippets').columns(['author_id', 'id']).execute();
    await db.schema.createIndex('snippets_by_storage').on('snippets').columns(['storage', 'id']).execute();
    await db.schema
      .createIndex('snippets_by_disk_path')
      .on('snippets')
      .columns(['disk_path', 'storage'])
      .unique()
      .execute();
  },
};
