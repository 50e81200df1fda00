import type { Migration } from './migration.ts';

/** File locks that git-lfs clients set. */
export const migration: Migration = {
  name: '0119_lfs_locks',
  async up(db, dialect) {
    await db.schema
      .createTable('lfs_locks')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('path', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('lfs_locks_by_path').on('lfs_locks').columns(['project_id', 'path']).unique().execute();
    await db.schema.createIndex('lfs_locks_by_project').on('lfs_locks').columns(['project_id', 'id']).execute();
    await db.schema.createIndex('lfs_locks_by_user').on('lfs_locks').columns(['user_id', 'id']).execute();
  },
};
