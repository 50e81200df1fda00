import type { Migration } from './migration.ts';

/** Merge requests ask for the newest pipeline of their source branch's head. */
export const migration: Migration = {
  name: '0070_newest_pipelines',
  async up(db) {
    await db.schema
      .createIndex('pipelines_by_sha_ref')
      .on('pipelines')
      .columns(['project_id', 'sha', 'ref', 'id'])
      .execute();
  },
};
