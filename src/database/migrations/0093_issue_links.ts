import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Links between issues. */
export const migration: Migration = {
  name: '0093_issue_links',
  async up(db, dialect) {
    let table = db.schema.createTable('issue_links').addColumn('id', ...dialect.id);
    for (const name of ['source_id', 'target_id'] as const) {
      table = table.addColumn(name, dialect.integer, (column) =>
        column.notNull().references('issues.id').onDelete('cascade'),
      );
    }
    await table
      .addColumn('link_type', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    // One link per pair of issues, in either direction.
    await sql`create unique index issue_links_by_pair on issue_links
      ((case when source_id < target_id then source_id else target_id end),
       (case when source_id < target_id then target_id else source_id end))`.execute(db);
    for (const side of ['source', 'target']) {
      await db.schema
        .createIndex(`issue_links_by_${side}`)
        .on('issue_links')
        .columns([`${side}_id`, 'id'])
        .execute();
    }
  },
};
