import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Which versions of merge requests have heads that stay reachable, whatever becomes of their branches, is looked at once. */
export const migration: Migration = {
  name: '0063_kept_heads',
  async up(db, dialect) {
    await db.schema
      .alterTable('merge_request_versions')
      .addColumn('kept', dialect.boolean, (column) => column.notNull().defaultTo(sql.lit(false)))
      .execute();
  },
};
