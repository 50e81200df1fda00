import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Events that record changes of the state and the milestone of issues. */
export const migration: Migration = {
  name: '0047_resource_events',
  async up(db, dialect) {
    const createEventTable = (name: string) =>
      db.schema
        .createTable(name)
        .addColumn('id', ...dialect.id)
        .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
        .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
        .addColumn('state', dialect.text, (column) => column.notNull())
        .addColumn('created_at', dialect.timestamp, (column) => column.notNull());
    await createEventTable('resource_state_events').addColumn('source_commit', dialect.text).execute();
    await createEventTable('resource_milestone_events')
      .addColumn('milestone_id', dialect.integer, (column) => column.references('milestones.id').onDelete('set null'))
      .addColumn('action', dialect.text, (column) => column.notNull())
      .execute();
    for (const name of ['resource_state_events', 'resource_milestone_events']) {
      await db.schema
        .createIndex(`${name}_by_issue`)
        .on(name)
        .columns(['issue_id', 'id'])
        .where(sql.ref('issue_id'), 'is not', null)
        .execute();
      await db.schema.createIndex(`${name}_by_user`).on(name).column('user_id').execute();
    }
    await db.schema
      .createIndex('resource_milestone_events_by_milestone')
      .on('resource_milestone_events')
      .columns(['milestone_id', 'id'])
      .execute();
  },
};
