import { type RawBuilder, sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Covering indexes for the orders of issue lists. They contain the columns that most lists filter by, so that skipped
 * issues cost no row lookup.
 */
export const migration: Migration = {
  name: '0050_issue_lists',
  async up(db) {
    const createIndex = (name: string, columns: RawBuilder<unknown>) =>
      sql`create index ${sql.id(name)} on issues (${columns})`.execute(db);
    const filterColumns = sql.raw('state, confidential, author_id');
    for (const [name, column] of Object.entries({
      created_at: 'created_at',
      updated_at: 'updated_at',
      title: 'title_key',
      upvotes: 'upvotes',
    })) {
      await createIndex(`issues_by_${name}`, sql`project_id, ${sql.raw(column)}, id, ${filterColumns}`);
    }
    for (const column of ['due_date', 'weight']) {
      // Nulls come last in both directions; the descending order scans its index backwards.
      await createIndex(
        `issues_by_${column}_asc`,
        sql`project_id, (${sql.raw(column)} is null), ${sql.raw(column)}, id, ${filterColumns}`,
      );
      await createIndex(
        `issues_by_${column}_desc`,
        sql`project_id, (${sql.raw(column)} is not null), ${sql.raw(column)}, id, ${filterColumns}`,
      );
    }
    await createIndex('issues_by_project_author', sql`project_id, author_id, state`);
    await createIndex('issues_by_project_milestone', sql`project_id, milestone_id, state`);
    await createIndex('issues_by_project_state', sql`project_id, state, confidential`);
    await createIndex('issues_of_all_by_created_at', sql`created_at, id, project_id, ${filterColumns}`);
    await createIndex('issues_of_all_by_updated_at', sql`updated_at, id, project_id, ${filterColumns}`);
    await sql`create index labels_by_title on labels (title)`.execute(db);
    await sql`create index milestones_by_title on milestones (title)`.execute(db);
  },
};
