import type { Migration } from './migration.ts';

/** Milestones of projects and groups. */
export const migration: Migration = {
  name: '0044_milestones',
  async up(db, dialect) {
    await db.schema
      .createTable('milestones')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('iid', dialect.integer, (column) => column.notNull())
      .addColumn('title', dialect.text, (column) => column.notNull())
      .addColumn('title_key', dialect.key, (column) => column.notNull())
      .addColumn('state', dialect.text, (column) => column.notNull())
      .addColumn('start_date', dialect.text)
      .addColumn('due_date', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('description_key', dialect.text)
      .execute();
    for (const parent of ['project', 'group']) {
      const createUniqueIndex = (name: string, column: string) =>
        db.schema
          .createIndex(name)
          .on('milestones')
          .columns([`${parent}_id`, column])
          .unique()
          .execute();
      await createUniqueIndex(`milestones_by_${parent}`, 'iid');
      await createUniqueIndex(`milestones_by_${parent}_title`, 'title');
    }
  },
};
