import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Threads of notes with their diff positions and resolution, and notes on commits. */
export const migration: Migration = {
  name: '0091_threads',
  async up(db, dialect) {
    await db.schema
      .createTable('commented_commits')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('sha', dialect.text, (column) => column.notNull())
      .addColumn('title', dialect.text, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('commented_commits_by_sha')
      .on('commented_commits')
      .columns(['project_id', 'sha'])
      .unique()
      .execute();
    const addReference = (column: string, referencedTable: string, onDelete: 'cascade' | 'set null') =>
      db.schema
        .alterTable('notes')
        .addColumn(column, dialect.integer, (definition) =>
          definition.references(`${referencedTable}.id`).onDelete(onDelete),
        )
        .execute();
    await addReference('commented_commit_id', 'commented_commits', 'cascade');
    await addReference('resolved_by_id', 'users', 'set null');
    await db.schema.alterTable('notes').addColumn('resolved_at', dialect.timestamp).execute();
    await db.schema.alterTable('notes').addColumn('position', dialect.json).execute();
    await db.schema.alterTable('notes').addColumn('commit_sha', dialect.text).execute();
    const createIndex = (name: string, columns: string, condition: string) =>
      sql`create index ${sql.id(name)} on notes (${sql.raw(columns)}) where ${sql.raw(condition)}`.execute(db);
    for (const noteable of ['issue', 'merge_request', 'epic', 'commented_commit']) {
      await createIndex(
        `notes_by_${noteable}_discussion`,
        `${noteable}_id, discussion_id, created_at, id`,
        `"${noteable}_id" is not null`,
      );
    }
    await createIndex(
      'notes_by_commented_commit',
      'commented_commit_id, created_at, id',
      '"commented_commit_id" is not null',
    );
    await createIndex('notes_by_resolver', 'resolved_by_id', '"resolved_by_id" is not null');
    // Index of unresolved threads, which block a merge if the project requires all threads to be resolved.
    await createIndex(
      'notes_open_by_merge_request',
      'merge_request_id',
      '"merge_request_id" is not null and "type" is not null and not "system" and "resolved_at" is null',
    );
  },
};
