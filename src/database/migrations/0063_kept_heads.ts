import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Marks versions of merge requests whose heads a ref keeps reachable, so that each version is processed only once. */
export const migration: Migration = {
  name: '0063_kept_heads',
  async up(db, dialect) {
    await db.schema
      .alterTable('merge_request_versions')
      .addColumn('kept', dialect.boolean, (column) => column.notNull().defaultTo(sql.lit(false)))
      .execute();
  },
};
