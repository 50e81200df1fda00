import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Stores when the deletion of a user was requested: callers no longer see the user, whose rows are deleted in the background. */
export const migration: Migration = {
  name: '0017_user_deletion',
  async up(db, dialect) {
    await db.schema.alterTable('users').addColumn('deletion_scheduled_at', dialect.timestamp).execute();
    // Partial index of the few administrators, to check that the last one is not deleted.
    await db.schema
      .createIndex('users_administrators')
      .on('users')
      .column('id')
      .where(sql.ref('admin'), '=', sql.lit(true))
      .execute();
    // Indexes of references to users, for clearing them when a user is deleted.
    await db.schema.createIndex('memberships_by_created_by').on('memberships').column('created_by_id').execute();
    await db.schema.createIndex('ref_intents_by_user').on('ref_intents').column('user_id').execute();
  },
};
