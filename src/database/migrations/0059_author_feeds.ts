import type { Migration } from './migration.ts';

/** Index for the projects in which a user was active, and for the user's feed in one project. */
export const migration: Migration = {
  name: '0059_author_feeds',
  async up(db) {
    await db.schema
      .createIndex('activity_events_by_author_project')
      .on('activity_events')
      .columns(['author_id', 'project_id', 'created_at', 'id'])
      .execute();
  },
};
