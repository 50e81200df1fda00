import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Users who are deleted are gone for callers at once, and from the tables soon after. */
export const migration: Migration = {
  name: '0017_user_deletion',
  async up(db, dialect) {
    await db.schema.alterTable('users').addColumn('deletion_scheduled_at', dialect.timestamp).execute();
    // Administrators are few among many: the last one is not deleted.
    await db.schema
      .createIndex('users_administrators')
      .on('users')
      .column('id')
      .where(sql.ref('admin'), '=', sql.lit(true))
      .execute();
    // What names a user without belonging to it is looked up when the user goes.
    await db.schema.createIndex('memberships_by_created_by').on('memberships').column('created_by_id').execute();
    await db.schema.createIndex('ref_intents_by_user').on('ref_intents').column('user_id').execute();
  },
};
