import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Index for the newest pipeline of a merge request's head, and outcomes of pipelines for notifications. */
export const migration: Migration = {
  name: '0070_newest_pipelines',
  async up(db, dialect) {
    await db.schema
      .createIndex('pipelines_by_sha_ref')
      .on('pipelines')
      .columns(['project_id', 'sha', 'ref', 'id'])
      .execute();
    await db.schema.alterTable('pipelines').addColumn('outcome', dialect.text).execute();
    await sql`update pipelines set outcome = status where status in ('success', 'failed')`.execute(db);
    await db.schema
      .createIndex('pipelines_with_outcome')
      .on('pipelines')
      .columns(['project_id', 'ref', 'id'])
      .where(sql.ref('outcome'), 'is not', null)
      .execute();
  },
};
