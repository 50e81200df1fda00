import { type RawBuilder, sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Covering indexes for the orders of merge request lists. They contain the columns that most lists filter by, so that
 * skipped rows cost no lookup.
 */
export const migration: Migration = {
  name: '0057_merge_request_lists',
  async up(db) {
    const createIndex = (name: string, columns: RawBuilder<unknown>) =>
      sql`create index ${sql.id(`merge_requests_${name}`)} on merge_requests (${columns})`.execute(db);
    const filterColumns = sql.raw('state, draft, author_id');
    for (const [name, column] of Object.entries({
      created_at: 'created_at',
      updated_at: 'updated_at',
      title: 'title_key',
    })) {
      await createIndex(`by_${name}`, sql`project_id, ${sql.raw(column)}, id, ${filterColumns}`);
    }
    // Nulls come last in both directions; the descending order scans its index backwards.
    await createIndex('by_merged_at_asc', sql`project_id, (merged_at is null), merged_at, id, ${filterColumns}`);
    await createIndex('by_merged_at_desc', sql`project_id, (merged_at is not null), merged_at, id, ${filterColumns}`);
    await createIndex('by_project_author', sql`project_id, author_id, state`);
    await createIndex('by_project_milestone', sql`project_id, milestone_id, state`);
    await createIndex('by_project_state', sql`project_id, state, draft`);
    await createIndex('by_source_branch', sql`source_branch, project_id`);
    await createIndex('by_target_branch', sql`target_branch, project_id`);
    await createIndex('of_all_by_created_at', sql`created_at, id, project_id, ${filterColumns}`);
    await createIndex('of_all_by_updated_at', sql`updated_at, id, project_id, ${filterColumns}`);
  },
};
