import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Connects ref intents with the merges that they complete: the merge request becomes merged only after its refs were updated, and
 * of several concurrent merges the first one succeeds. Adds the indexes by which a push finds affected merge requests.
 */
export const migration: Migration = {
  name: '0055_pending_merges',
  async up(db, dialect) {
    await db.schema
      .alterTable('ref_intents')
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.references('merge_requests.id').onDelete('set null'),
      )
      .execute();
    await db.schema.alterTable('ref_intents').addColumn('merge', dialect.json).execute();
    await sql`create unique index ref_intents_by_merge_request on ref_intents (merge_request_id)
      where "merge_request_id" is not null`.execute(db);
    const createOpenIndex = (name: string, columns: string, extraCondition = '') =>
      sql`create index ${sql.id(name)} on merge_requests (${sql.raw(columns)})
        where ${sql.raw(`state = 'opened'${extraCondition}`)}`.execute(db);
    await createOpenIndex('merge_requests_open_by_target', 'project_id, target_branch, head_sha');
    // Partial indexes, because merge requests that were never checked need no reset when their target branch moves.
    await createOpenIndex('merge_requests_checked', 'project_id, target_branch', " and merge_status <> 'unchecked'");
    await createOpenIndex('merge_requests_unchecked', 'project_id, id', " and merge_status = 'unchecked'");
  },
};
