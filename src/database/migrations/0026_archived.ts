import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** What is archived or marked hands that down: the few that are so themselves are found without looking at the others. */
export const migration: Migration = {
  name: '0026_archived',
  async up(db) {
    const index = (name: string, table: string, condition: ReturnType<typeof sql<boolean>>) =>
      db.schema
        .createIndex(name)
        .on(table)
        .column('id')
        .where(condition as never)
        .execute();
    await index('projects_archived', 'projects', sql<boolean>`archived = true`);
    await index(
      'namespaces_inactive',
      'namespaces',
      sql<boolean>`(archived = true or marked_for_deletion_on is not null)`,
    );
    // Groups that are marked for deletion used to be archived with that, and are no more.
    await db
      .updateTable('namespaces')
      .set({ archived: false })
      .where('marked_for_deletion_on', 'is not', null)
      .execute();
  },
};
