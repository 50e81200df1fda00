import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Custom attributes: key-value pairs that administrators set on users, projects and groups. */
export const migration: Migration = {
  name: '0112_custom_attributes',
  async up(db, dialect) {
    const table = 'custom_attributes';
    const ownerReferences = { user_id: 'users.id', project_id: 'projects.id', group_id: 'namespaces.id' };
    let tableBuilder = db.schema.createTable(table).addColumn('id', ...dialect.id);
    for (const [name, referencedColumn] of Object.entries(ownerReferences)) {
      tableBuilder = tableBuilder.addColumn(name, dialect.integer, (column) =>
        column.references(referencedColumn).onDelete('cascade'),
      );
    }
    await tableBuilder
      .addColumn('key', dialect.text, (column) => column.notNull())
      .addColumn('value', dialect.text, (column) => column.notNull())
      .execute();
    for (const name of Object.keys(ownerReferences)) {
      await db.schema
        .createIndex(`${table}_by_${name.replace('_id', '')}`)
        .on(table)
        .columns([name, 'key'])
        .unique()
        .where(sql.ref(name), 'is not', null)
        .execute();
    }
    // Only the beginning of a value: PostgreSQL limits the size of an index entry.
    await sql`create index custom_attributes_by_value on custom_attributes (key, substr(value, 1, 100))`.execute(db);
  },
};
