import type { Migration } from './migration.ts';

/** Imported epics whose parents have not been imported yet. */
export const migration: Migration = {
  name: '0082_awaited_epics',
  async up(db, dialect) {
    await db.schema
      .createTable('bulk_import_awaited_epics')
      .addColumn('bulk_import_id', dialect.integer, (column) =>
        column.notNull().references('bulk_imports.id').onDelete('cascade'),
      )
      .addColumn('source_id', dialect.integer, (column) => column.notNull())
      .addColumn('epic_id', dialect.integer, (column) => column.primaryKey().references('epics.id').onDelete('cascade'))
      .execute();
    await db.schema
      .createIndex('bulk_import_awaited_epics_by_source')
      .on('bulk_import_awaited_epics')
      .columns(['bulk_import_id', 'source_id'])
      .execute();
  },
};
