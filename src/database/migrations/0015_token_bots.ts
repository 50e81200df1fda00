import type { Migration } from './migration.ts';

/** Bot users of project and group tokens. Each has one membership, which cannot be deleted while the bot exists. */
export const migration: Migration = {
  name: '0015_token_bots',
  async up(db, dialect) {
    await db.schema
      .createTable('token_bots')
      .addColumn('user_id', dialect.integer, (column) => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('source_type', dialect.text, (column) => column.notNull())
      .addColumn('source_id', dialect.integer, (column) => column.notNull())
      .addForeignKeyConstraint(
        'token_bots_membership',
        ['source_type', 'source_id', 'user_id'],
        'memberships',
        ['source_type', 'source_id', 'user_id'],
        // Checked at the end of the transaction: a user and its memberships may be deleted in any order.
        (reference) => reference.deferrable().initiallyDeferred(),
      )
      .execute();
    await db.schema
      .createIndex('token_bots_by_source')
      .on('token_bots')
      .columns(['source_type', 'source_id', 'user_id'])
      .unique()
      .execute();
  },
};
