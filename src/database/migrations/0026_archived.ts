import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Partial indexes of the few projects and namespaces that are archived or marked for deletion themselves; descendants inherit the
 * state of a namespace.
 */
export const migration: Migration = {
  name: '0026_archived',
  async up(db) {
    const createPartialIndex = (name: string, table: string, condition: ReturnType<typeof sql<boolean>>) =>
      db.schema
        .createIndex(name)
        .on(table)
        .column('id')
        .where(condition as never)
        .execute();
    await createPartialIndex('projects_archived', 'projects', sql<boolean>`archived = true`);
    await createPartialIndex(
      'namespaces_inactive',
      'namespaces',
      sql<boolean>`(archived = true or marked_for_deletion_on is not null)`,
    );
    // Marking a group for deletion used to archive it too; this undoes it.
    await db
      .updateTable('namespaces')
      .set({ archived: false })
      .where('marked_for_deletion_on', 'is not', null)
      .execute();
  },
};
