import { maintainColumnCopies } from '../dialect.ts';
import type { Migration } from './migration.ts';

/**
 * Copies state and visibility of issues into the rows of their labels, so that counts of issues per label read only an
 * index.
 */
export const migration: Migration = {
  name: '0061_label_counts',
  async up(db, dialect) {
    const columns = { project_id: dialect.integer, state: dialect.text, confidential: dialect.boolean };
    for (const [name, type] of Object.entries(columns)) {
      await db.schema.alterTable('issue_labels').addColumn(name, type).execute();
    }
    await maintainColumnCopies(db, dialect, {
      table: 'issue_labels',
      key: 'issue_id',
      source: 'issues',
      columns: Object.keys(columns),
    });
    await db.schema
      .createIndex('issue_labels_counted')
      .on('issue_labels')
      .columns(['label_id', ...Object.keys(columns)])
      .execute();
  },
};
