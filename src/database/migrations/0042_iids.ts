import type { Migration } from './migration.ts';

/** One counter of iids per kind of object in a project or group. */
export const migration: Migration = {
  name: '0042_iids',
  async up(db, dialect) {
    await db.schema
      .createTable('iid_counters')
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('kind', dialect.text, (column) => column.notNull())
      .addColumn('last', dialect.integer, (column) => column.notNull())
      .execute();
    for (const parent of ['project', 'group']) {
      await db.schema
        .createIndex(`iid_counters_by_${parent}`)
        .on('iid_counters')
        .columns([`${parent}_id`, 'kind'])
        .unique()
        .execute();
    }
  },
};
