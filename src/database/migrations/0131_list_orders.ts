import { type RawBuilder, sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Indexes for the orders of lists of all projects, and for issues of a rare type. Rows without a value come last, sorted by id, so that the indexes of columns
 * with nulls need not contain them and serve both directions.
 */
export const migration: Migration = {
  name: '0131_list_orders',
  async up(db) {
    const createIndex = (table: string, name: string, columns: RawBuilder<unknown>, condition = sql``) =>
      sql`create index ${sql.id(`${table}_of_all_by_${name}`)} on ${sql.table(table)} (${columns}) ${condition}`.execute(
        db,
      );
    for (const [table, flag, nullableColumns] of [
      ['issues', 'confidential', ['due_date', 'weight']],
      ['merge_requests', 'draft', ['merged_at']],
    ] as const) {
      // The last columns are those that most lists filter by.
      const otherColumns = sql`id, project_id, state, ${sql.ref(flag)}, author_id`;
      await createIndex(table, 'title', sql`title_key, ${otherColumns}`);
      for (const name of nullableColumns) {
        const column = sql.ref(name);
        await createIndex(table, name, sql`${column}, ${otherColumns}`, sql`where ${column} is not null`);
      }
    }
    await sql`create index issues_by_other_type on issues (issue_type, project_id) where issue_type <> 'issue'`.execute(
      db,
    );
  },
};
