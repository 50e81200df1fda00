import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

const projectIdColumn = 'projects.id';
const errorIdColumn = 'errors.id';

/** Client keys of error tracking, errors, and their events. */
export const migration: Migration = {
  name: '0076_error_tracking',
  async up(db, dialect) {
    await addKeysAndSettings(db, dialect);
    await addErrors(db, dialect);
    await addErrorCounts(db, dialect);
    await addEvents(db, dialect);
    await addSessions(db, dialect);
  },
};

async function addKeysAndSettings(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('client_keys')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('public_key', dialect.text, (column) => column.notNull())
    .addColumn('active', dialect.boolean, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('client_keys_by_public_key').on('client_keys').column('public_key').unique().execute();
  await db.schema.createIndex('client_keys_by_project').on('client_keys').columns(['project_id', 'id']).execute();
  await db.schema
    .createTable('error_tracking_settings')
    .addColumn('project_id', dialect.integer, (column) =>
      column.primaryKey().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('active', dialect.boolean, (column) => column.notNull())
    .addColumn('integrated', dialect.boolean, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('ingestion_settings')
    .addColumn('project_id', dialect.integer, (column) =>
      column.primaryKey().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('events_per_minute', dialect.integer)
    .addColumn('retention_days', dialect.integer, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('ingestion_windows')
    .addColumn('project_id', dialect.integer, (column) =>
      column.primaryKey().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('started_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('counted', dialect.integer, (column) => column.notNull())
    .execute();
}

async function addErrors(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('errors')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('fingerprint', dialect.text, (column) => column.notNull())
    .addColumn('type', dialect.text, (column) => column.notNull())
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('name_key', dialect.key, (column) => column.notNull())
    .addColumn('message', dialect.text)
    .addColumn('message_key', dialect.key)
    .addColumn('culprit', dialect.text)
    .addColumn('culprit_key', dialect.key)
    .addColumn('platform', dialect.text, (column) => column.notNull())
    .addColumn('level', dialect.text, (column) => column.notNull())
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('event_count', dialect.integer, (column) => column.notNull())
    .addColumn('user_count', dialect.integer, (column) => column.notNull())
    .addColumn('first_seen', dialect.timestamp, (column) => column.notNull())
    .addColumn('last_seen', dialect.timestamp, (column) => column.notNull())
    .addColumn('last_received_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('errors_by_fingerprint')
    .on('errors')
    .columns(['project_id', 'fingerprint'])
    .unique()
    .execute();
  for (const column of ['last_seen', 'first_seen', 'event_count']) {
    await db.schema
      .createIndex(`errors_by_${column}`)
      .on('errors')
      .columns(['project_id', 'status', column, 'id'])
      .execute();
  }
}

/** Adds counts per error, so that lists do not read its events. */
async function addErrorCounts(db: MigrationDb, dialect: Dialect): Promise<void> {
  const createErrorCountTable = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('error_id', dialect.integer, (column) =>
        column.notNull().references(errorIdColumn).onDelete('cascade'),
      );
  await createErrorCountTable('error_users')
    .addColumn('user_key', dialect.text, (column) => column.notNull())
    .addPrimaryKeyConstraint('error_users_pkey', ['error_id', 'user_key'])
    .execute();
  await createErrorCountTable('error_environments')
    .addColumn('environment', dialect.text, (column) => column.notNull())
    .addPrimaryKeyConstraint('error_environments_pkey', ['error_id', 'environment'])
    .execute();
  await createErrorCountTable('error_hours')
    .addColumn('hour', dialect.integer, (column) => column.notNull())
    .addColumn('event_count', dialect.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('error_hours_pkey', ['error_id', 'hour'])
    .execute();
  // Index for the deletion of old hours.
  await db.schema.createIndex('error_hours_by_hour').on('error_hours').column('hour').execute();
}

async function addEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('error_events')
    .addColumn('id', ...dialect.id)
    // The project of the error, copied for indexes; no foreign key, because the error has one.
    .addColumn('project_id', dialect.integer, (column) => column.notNull())
    .addColumn('error_id', dialect.integer, (column) => column.notNull().references(errorIdColumn).onDelete('cascade'))
    .addColumn('event_id', dialect.text, (column) => column.notNull())
    .addColumn('type', dialect.text, (column) => column.notNull())
    .addColumn('level', dialect.text, (column) => column.notNull())
    .addColumn('message', dialect.text)
    .addColumn('environment', dialect.text)
    .addColumn('release', dialect.text)
    .addColumn('platform', dialect.text, (column) => column.notNull())
    .addColumn('affected_user', dialect.json)
    .addColumn('tags', dialect.json, (column) => column.notNull())
    .addColumn('occurred_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('received_at', dialect.timestamp, (column) => column.notNull())
    // The last column, so that queries without it do not read its overflow pages.
    .addColumn('payload', dialect.json, (column) => column.notNull())
    .execute();
  const createIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('error_events').columns(columns);
  await createIndex('error_events_by_event_id', ['project_id', 'event_id']).unique().execute();
  await createIndex('error_events_by_error', ['error_id', 'occurred_at', 'id']).execute();
  await createIndex('error_events_by_receipt', ['project_id', 'received_at']).execute();
}

async function addSessions(db: MigrationDb, dialect: Dialect): Promise<void> {
  const createProjectTable = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references(projectIdColumn).onDelete('cascade'),
      );
  await createProjectTable('session_buckets')
    .addColumn('release', dialect.text, (column) => column.notNull())
    .addColumn('environment', dialect.text, (column) => column.notNull())
    .addColumn('total', dialect.integer, (column) => column.notNull())
    .addColumn('exited', dialect.integer, (column) => column.notNull())
    .addColumn('errored', dialect.integer, (column) => column.notNull())
    .addColumn('crashed', dialect.integer, (column) => column.notNull())
    .addColumn('abnormal', dialect.integer, (column) => column.notNull())
    .addColumn('last_seen', dialect.timestamp, (column) => column.notNull())
    .addPrimaryKeyConstraint('session_buckets_pkey', ['project_id', 'release', 'environment'])
    .execute();
  await db.schema
    .createIndex('session_buckets_by_last_seen')
    .on('session_buckets')
    .columns(['project_id', 'last_seen'])
    .execute();
  await createProjectTable('session_states')
    .addColumn('sid', dialect.text, (column) => column.notNull())
    .addColumn('release', dialect.text, (column) => column.notNull())
    .addColumn('environment', dialect.text, (column) => column.notNull())
    .addColumn('bucket', dialect.text, (column) => column.notNull())
    .addColumn('seq', dialect.integer)
    .addColumn('received_at', dialect.timestamp, (column) => column.notNull())
    .addPrimaryKeyConstraint('session_states_pkey', ['project_id', 'sid'])
    .execute();
  await db.schema
    .createIndex('session_states_by_receipt')
    .on('session_states')
    .columns(['project_id', 'received_at'])
    .execute();
}
