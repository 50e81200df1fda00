import { type RawBuilder, sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Indexes for filters and sort orders of lists, and the time after which a merge request may be merged. */
export const migration: Migration = {
  name: '0114_list_filters',
  async up(db, dialect) {
    const createIndex = (name: string, table: string, columns: RawBuilder<unknown>) =>
      sql`create index ${sql.id(name)} on ${sql.table(table)} (${columns})`.execute(db);
    await db.schema.alterTable('merge_requests').addColumn('merge_after', dialect.timestamp).execute();
    await createIndex('issues_by_project_closed_by', 'issues', sql`project_id, closed_by_id`);
    await createIndex('merge_requests_by_project_merged_by', 'merge_requests', sql`project_id, merged_by_id`);
    // Covering index, as for the other sort orders of merge request lists (0057).
    await createIndex(
      'merge_requests_by_upvotes',
      'merge_requests',
      sql`project_id, upvotes, id, state, draft, author_id`,
    );
    // An expression, because without statistics PostgreSQL would also use an index by name for queries of one project.
    await createIndex('environments_of_all_by_name', 'environments', sql`(name || '')`);
    await createIndex('deployments_by_finished_at', 'deployments', sql`project_id, finished_at`);
    await createIndex('deployments_of_all_by_finished_at', 'deployments', sql`finished_at`);
  },
};
