import type { Migration } from './migration.ts';

/** Labels of projects and groups, and their priorities in projects. */
export const migration: Migration = {
  name: '0043_labels',
  async up(db, dialect) {
    await db.schema
      .createTable('labels')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('title', dialect.text, (column) => column.notNull())
      .addColumn('title_key', dialect.key, (column) => column.notNull())
      .addColumn('color', dialect.text, (column) => column.notNull())
      .addColumn('archived', dialect.boolean, (column) => column.notNull().defaultTo(false))
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('description_key', dialect.text)
      .execute();
    for (const parent of ['project', 'group']) {
      await db.schema
        .createIndex(`labels_by_${parent}`)
        .on('labels')
        .columns([`${parent}_id`, 'title'])
        .unique()
        .execute();
    }
    await db.schema
      .createTable('label_priorities')
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('label_id', dialect.integer, (column) => column.notNull().references('labels.id').onDelete('cascade'))
      .addColumn('priority', dialect.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('label_priorities_pkey', ['project_id', 'label_id'])
      .execute();
    await db.schema.createIndex('label_priorities_by_label').on('label_priorities').column('label_id').execute();
  },
};
