import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The durable job queue, cron schedules, and counters. */
export const migration: Migration = {
  name: '0001_background',
  async up(db, dialect) {
    await db.schema
      .createTable('jobs')
      .addColumn('id', ...dialect.id)
      .addColumn('kind', dialect.text, (column) => column.notNull())
      .addColumn('payload', dialect.json, (column) => column.notNull())
      .addColumn('run_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('attempts', dialect.integer, (column) => column.notNull().defaultTo(0))
      .addColumn('lease_until', dialect.timestamp)
      .addColumn('lease_owner', dialect.text)
      .addColumn('key', dialect.text)
      .addColumn('state', dialect.text, (column) => column.notNull().defaultTo('pending'))
      .addColumn('last_error', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('jobs_state', sql`state in ('pending', 'dead')`)
      .addCheckConstraint('jobs_lease', sql`(lease_until is null) = (lease_owner is null)`)
      .execute();
    await db.schema
      .createIndex('jobs_by_run_at')
      .on('jobs')
      .columns(['run_at', 'id'])
      .where(sql.ref('state'), '=', sql.lit('pending'))
      .execute();
    // Unique: at most one waiting job of a kind has a key.
    await db.schema
      .createIndex('jobs_waiting_by_key')
      .on('jobs')
      .columns(['kind', 'key'])
      .unique()
      .where(sql.ref('state'), '=', sql.lit('pending'))
      .where(sql.ref('lease_owner'), 'is', null)
      .where(sql.ref('key'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('jobs_leased')
      .on('jobs')
      .columns(['lease_owner', 'kind', 'key'])
      .where(sql.ref('lease_owner'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('jobs_dead')
      .on('jobs')
      .column('id')
      .where(sql.ref('state'), '=', sql.lit('dead'))
      .execute();
    await db.schema
      .createTable('schedules')
      .addColumn('name', dialect.text, (column) => column.primaryKey())
      .addColumn('cron', dialect.text, (column) => column.notNull())
      .addColumn('next_run_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('counters')
      .addColumn('name', dialect.text, (column) => column.primaryKey())
      .addColumn('value', dialect.integer, (column) => column.notNull())
      .execute();
  },
};
