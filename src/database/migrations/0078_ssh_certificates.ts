import type { Migration } from './migration.ts';

/** Public keys of certificate authorities that groups trust. */
export const migration: Migration = {
  name: '0078_ssh_certificates',
  async up(db, dialect) {
    await db.schema
      .createTable('ssh_certificates')
      .addColumn('id', ...dialect.id)
      .addColumn('group_id', dialect.integer, (column) =>
        column.notNull().references('namespaces.id').onDelete('cascade'),
      )
      .addColumn('title', dialect.text, (column) => column.notNull())
      .addColumn('key', dialect.text, (column) => column.notNull())
      .addColumn('fingerprint', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('ssh_certificates_by_fingerprint')
      .on('ssh_certificates')
      .column('fingerprint')
      .unique()
      .execute();
    await db.schema
      .createIndex('ssh_certificates_by_group')
      .on('ssh_certificates')
      .columns(['group_id', 'id'])
      .execute();
  },
};
