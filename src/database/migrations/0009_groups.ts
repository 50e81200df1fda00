import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Partial indexes for sorted lists of groups, which share their table with personal namespaces. */
export const migration: Migration = {
  name: '0009_groups',
  async up(db, dialect) {
    // Name of the storage of a group's wiki, set before the wiki has a page.
    await db.schema
      .alterTable('namespaces')
      .addColumn('storage', dialect.text, (column) => column.notNull().defaultTo('default'))
      .execute();
    const createGroupIndex = (name: string, columns: readonly string[]) =>
      db.schema
        .createIndex(name)
        .on('namespaces')
        .columns([...columns])
        .where(sql<boolean>`kind = 'group'` as never)
        .execute();
    await createGroupIndex('groups_by_name', ['name', 'id']);
    await createGroupIndex('groups_by_path', ['path', 'id']);
    await createGroupIndex('groups_by_id', ['id']);
    await createGroupIndex('groups_by_visibility', ['visibility', 'name', 'id']);
    await createGroupIndex('groups_by_parent', ['parent_id', 'name', 'id']);
    await createGroupIndex('groups_by_storage', ['storage', 'name', 'id']);
  },
};
