import type { Migration } from './migration.ts';

/** Browser sessions. */
export const migration: Migration = {
  name: '0011_sessions',
  async up(db, dialect) {
    await db.schema
      .createTable('sessions')
      .addColumn('digest', dialect.text, (column) => column.primaryKey())
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('cascade'))
      .addColumn('return_to', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('last_seen_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('sessions_by_user').on('sessions').column('user_id').execute();
    await db.schema.createIndex('sessions_by_last_seen').on('sessions').column('last_seen_at').execute();
  },
};
