import type { Migration } from './migration.ts';

/** Indexes for each sort order of epic lists. */
export const migration: Migration = {
  name: '0058_epic_lists',
  async up(db) {
    for (const [name, column] of [
      ['created_at', 'created_at'],
      ['updated_at', 'updated_at'],
      ['title', 'title_key'],
    ] as const) {
      await db.schema.createIndex(`epics_by_${name}`).on('epics').columns(['group_id', column, 'id']).execute();
    }
  },
};
