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
    const add = (table: string, column: string, to: string, gone: 'cascade' | 'set null' = 'cascade') =>
      db.schema
        .alterTable(table)
        .addColumn(column, dialect.integer, (made) => made.references(`${to}.id`).onDelete(gone))
        .execute();
    const index = (name: string, table: string, columns: string, unique = '') =>
      sql`create ${sql.raw(unique)} index ${sql.id(name)} on ${sql.table(table)} (${sql.raw(columns)})
        where ${sql.id(columns.split(',')[0]!)} is not null`.execute(db);
    for (const [thing, things] of Object.entries(NOTEABLE_TABLES)) {
      await add('notes', `${thing}_id`, things);
      for (const moment of ['created', 'updated']) {
        await index(`notes_by_${thing}_${moment}`, 'notes', `${thing}_id, ${moment}_at, id`);
      }
      await add('notes', `mentioning_${thing}_id`, things);
      await add('resource_state_events', `${thing}_id`, things);
      await index(`resource_state_events_by_${thing}`, 'resource_state_events', `${thing}_id, id`);
      await add('subscriptions', `${thing}_id`, things);
      await index(`subscriptions_by_${thing}`, 'subscriptions', `${thing}_id, user_id`, 'unique');
    }
    await add('resource_state_events', 'source_merge_request_id', 'merge_requests', 'set null');
    await index('resource_state_events_by_source', 'resource_state_events', 'source_merge_request_id');
    await add('resource_milestone_events', 'merge_request_id', 'merge_requests');
    await index('resource_milestone_events_by_merge_request', 'resource_milestone_events', 'merge_request_id, id');
    await db.schema.dropIndex('notes_by_mention').execute();
    for (const thing of ['issue', 'merge_request', 'epic']) {
      await index(`notes_by_mentioning_${thing}`, 'notes', `mentioning_${thing}_id`);
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
