import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const NOTEABLE_TABLES = { merge_request: 'merge_requests', epic: 'epics' } as const;

/**
 * Extends notes, resource events and subscriptions to merge requests and epics. Notes can record mentions by all three
 * types.
 */
export const migration: Migration = {
  name: '0054_hang_ons',
  async up(db, dialect) {
    const addReference = (
      table: string,
      column: string,
      referencedTable: string,
      onDelete: 'cascade' | 'set null' = 'cascade',
    ) =>
      db.schema
        .alterTable(table)
        .addColumn(column, dialect.integer, (definition) =>
          definition.references(`${referencedTable}.id`).onDelete(onDelete),
        )
        .execute();
    const createIndex = (name: string, table: string, columns: string, uniqueKeyword = '') =>
      sql`create ${sql.raw(uniqueKeyword)} index ${sql.id(name)} on ${sql.table(table)} (${sql.raw(columns)})
        where ${sql.id(columns.split(',')[0]!)} is not null`.execute(db);
    for (const [noteable, table] of Object.entries(NOTEABLE_TABLES)) {
      await addReference('notes', `${noteable}_id`, table);
      for (const timestamp of ['created', 'updated']) {
        await createIndex(`notes_by_${noteable}_${timestamp}`, 'notes', `${noteable}_id, ${timestamp}_at, id`);
      }
      await addReference('notes', `mentioning_${noteable}_id`, table);
      await addReference('resource_state_events', `${noteable}_id`, table);
      await createIndex(`resource_state_events_by_${noteable}`, 'resource_state_events', `${noteable}_id, id`);
      await addReference('subscriptions', `${noteable}_id`, table);
      await createIndex(`subscriptions_by_${noteable}`, 'subscriptions', `${noteable}_id, user_id`, 'unique');
    }
    await addReference('resource_state_events', 'source_merge_request_id', 'merge_requests', 'set null');
    await createIndex('resource_state_events_by_source', 'resource_state_events', 'source_merge_request_id');
    await addReference('resource_milestone_events', 'merge_request_id', 'merge_requests');
    await createIndex(
      'resource_milestone_events_by_merge_request',
      'resource_milestone_events',
      'merge_request_id, id',
    );
    await db.schema.dropIndex('notes_by_mention').execute();
    for (const noteable of ['issue', 'merge_request', 'epic']) {
      await createIndex(`notes_by_mentioning_${noteable}`, 'notes', `mentioning_${noteable}_id`);
    }
    // Exactly one column of each side is set. Each mention is recorded once.
    await sql`create unique index notes_by_mention on notes
      (coalesce(issue_id, 0), coalesce(merge_request_id, 0), coalesce(epic_id, 0),
       coalesce(mentioning_issue_id, 0), coalesce(mentioning_merge_request_id, 0), coalesce(mentioning_epic_id, 0))
      where kind = 'mention'`.execute(db);
    // Index of the merge requests that mention an issue.
    await sql`create index notes_by_issue_mentioning on notes (issue_id, mentioning_merge_request_id)
      where "mentioning_merge_request_id" is not null`.execute(db);
  },
};
