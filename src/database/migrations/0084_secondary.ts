import type { Migration } from './migration.ts';

/** The replication state of a secondary (contract/operations.md §3.5). The tables are empty on a primary. */
export const migration: Migration = {
  name: '0084_secondary',
  async up(db, dialect) {
    await db.schema
      .createTable('geo_registry')
      .addColumn('id', ...dialect.id)
      .addColumn('replicable_name', dialect.text, (column) => column.notNull())
      .addColumn('replicable_id', dialect.integer, (column) => column.notNull())
      .addColumn('state', dialect.text, (column) => column.notNull())
      .addColumn('verification', dialect.text, (column) => column.notNull())
      .addColumn('generation', dialect.integer, (column) => column.notNull())
      .addColumn('listing', dialect.integer, (column) => column.notNull())
      .addColumn('pool', dialect.text)
      .addColumn('due_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('retries', dialect.integer, (column) => column.notNull())
      .addColumn('error', dialect.text)
      .addColumn('path', dialect.text)
      .addColumn('path_key', dialect.key)
      .addColumn('storage', dialect.text)
      .addColumn('checksum', dialect.text)
      .addColumn('synced_at', dialect.timestamp)
      .addColumn('verified_at', dialect.timestamp)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    const createIndex = (name: string, columns: string[]) =>
      db.schema.createIndex(name).on('geo_registry').columns(columns);
    await createIndex('geo_registry_by_object', ['replicable_name', 'replicable_id']).unique().execute();
    await createIndex('geo_registry_by_work', ['pool', 'due_at', 'id']).execute();
    await createIndex('geo_registry_by_state', ['replicable_name', 'state', 'verification']).execute();
    await createIndex('geo_registry_by_listing', ['listing', 'id']).execute();
    await createIndex('geo_registry_by_path', ['path_key']).execute();
    await createIndex('geo_registry_by_checksum', ['checksum']).execute();
    await db.schema
      .createTable('geo_position')
      .addColumn('id', dialect.integer, (column) => column.primaryKey())
      .addColumn('cursor', dialect.integer, (column) => column.notNull())
      .addColumn('cursor_at', dialect.timestamp)
      .addColumn('listing', dialect.integer, (column) => column.notNull())
      .addColumn('listed_scope', dialect.text)
      .addColumn('listing_scope', dialect.text)
      .addColumn('listing_name', dialect.text)
      .addColumn('listing_after_id', dialect.integer, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('geo_daily_counts')
      .addColumn('day', dialect.text, (column) => column.notNull())
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('count', dialect.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('geo_daily_counts_pkey', ['day', 'name'])
      .execute();
  },
};
