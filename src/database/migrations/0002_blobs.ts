import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Blobs, whose content is stored in files. */
export const migration: Migration = {
  name: '0002_blobs',
  async up(db, dialect) {
    await db.schema
      .createTable('blobs')
      .addColumn('sha256', dialect.text, (column) => column.primaryKey())
      .addColumn('size', dialect.integer, (column) => column.notNull())
      .addColumn('linked_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('blobs_size', sql`size >= 0`)
      .execute();
  },
};
