import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Stores which users were mentioned in comments on a commit, and therefore get mails about further comments. */
export const migration: Migration = {
  name: '0111_commit_mails',
  async up(db, dialect) {
    await db.schema
      .alterTable('mail_mentions')
      .addColumn('commented_commit_id', dialect.integer, (column) =>
        column.references('commented_commits.id').onDelete('cascade'),
      )
      .execute();
    await db.schema
      .createIndex('mail_mentions_by_commented_commit')
      .on('mail_mentions')
      .columns(['commented_commit_id', 'user_id'])
      .unique()
      .where(sql.ref('commented_commit_id'), 'is not', null)
      .execute();
  },
};
