import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Indexes for the feeds of projects and users, filtered by action or target type. */
export const migration: Migration = {
  name: '0049_activity_feeds',
  async up(db) {
    for (const feed of ['project', 'author']) {
      await db.schema
        .createIndex(`activity_events_by_${feed}_action`)
        .on('activity_events')
        .columns([`${feed}_id`, 'action', 'created_at', 'id'])
        .execute();
      // Partial index, because most events are pushes, which have no target.
      await db.schema
        .createIndex(`activity_events_by_${feed}_target`)
        .on('activity_events')
        .columns([`${feed}_id`, 'target_type', 'created_at', 'id'])
        .where(sql.ref('target_type'), 'is not', null)
        .execute();
    }
  },
};
