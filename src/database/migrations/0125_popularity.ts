import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Indexes for lists of all projects by popularity, with the columns that most lists filter by. */
export const migration: Migration = {
  name: '0125_popularity',
  async up(db) {
    for (const [table, flag] of [
      ['issues', 'confidential'],
      ['merge_requests', 'draft'],
    ] as const) {
      await sql`create index ${sql.id(`${table}_of_all_by_upvotes`)} on ${sql.table(table)}
        (upvotes, id, project_id, state, ${sql.ref(flag)}, author_id)`.execute(db);
    }
  },
};
