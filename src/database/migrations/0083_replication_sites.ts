import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { addRowInsertingTrigger, type Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Replication sites, and the events that they read. */
export const migration: Migration = {
  name: '0083_replication_sites',
  async up(db, dialect) {
    await addSites(db, dialect);
    await addStatuses(db, dialect);
    await addEvents(db, dialect);
    await addRepositoryEvents(db, dialect);
    await addSnippetEvents(db, dialect);
    await addBlobEvents(db, dialect);
    await addMovedBlobEvents(db, dialect);
  },
};

async function addSites(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('geo_sites')
    .addColumn('id', ...dialect.id)
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('name_key', dialect.key, (column) => column.notNull())
    .addColumn('url', dialect.text, (column) => column.notNull())
    .addColumn('internal_url', dialect.text)
    .addColumn('is_primary', dialect.boolean, (column) => column.notNull())
    .addColumn('enabled', dialect.boolean, (column) => column.notNull())
    .addColumn('files_max_capacity', dialect.integer, (column) => column.notNull())
    .addColumn('repos_max_capacity', dialect.integer, (column) => column.notNull())
    .addColumn('verification_max_capacity', dialect.integer, (column) => column.notNull())
    .addColumn('container_repositories_max_capacity', dialect.integer, (column) => column.notNull())
    .addColumn('minimum_reverification_interval', dialect.integer, (column) => column.notNull())
    .addColumn('sync_object_storage', dialect.boolean, (column) => column.notNull())
    .addColumn('selective_sync_type', dialect.text)
    .addColumn('selective_sync_shards', dialect.json, (column) => column.notNull())
    .addColumn('access_key_digest', dialect.text)
    .addColumn('secret_access_key', dialect.text)
    .addColumn('oauth_application_id', dialect.integer, (column) =>
      column.references('oauth_applications.id').onDelete('set null'),
    )
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('geo_sites_by_name').on('geo_sites').column('name_key').unique().execute();
  await db.schema.createIndex('geo_sites_by_access_key').on('geo_sites').column('access_key_digest').unique().execute();
  await db.schema
    .createIndex('geo_sites_primary')
    .on('geo_sites')
    .column('is_primary')
    .unique()
    .where(sql<SqlBool>`is_primary`)
    .execute();
  await db.schema
    .createIndex('geo_sites_by_application')
    .on('geo_sites')
    .column('oauth_application_id')
    .unique()
    .execute();
  await db.schema
    .createTable('geo_site_namespaces')
    .addColumn('site_id', dialect.integer, (column) => column.notNull().references('geo_sites.id').onDelete('cascade'))
    .addColumn('namespace_id', dialect.integer, (column) =>
      column.notNull().references('namespaces.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('geo_site_namespaces_pkey', ['site_id', 'namespace_id'])
    .execute();
  await db.schema
    .createIndex('geo_site_namespaces_by_namespace')
    .on('geo_site_namespaces')
    .column('namespace_id')
    .execute();
}

async function addStatuses(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('geo_statuses')
    .addColumn('site_id', dialect.integer, (column) =>
      column.primaryKey().references('geo_sites.id').onDelete('cascade'),
    )
    .addColumn('counts', dialect.json, (column) => column.notNull())
    .addColumn('status_message', dialect.text, (column) => column.notNull())
    .addColumn('db_replication_lag_seconds', dialect.integer)
    .addColumn('last_event_id', dialect.integer)
    .addColumn('last_event_timestamp', dialect.integer)
    .addColumn('cursor_last_event_id', dialect.integer)
    .addColumn('cursor_last_event_timestamp', dialect.integer)
    .addColumn('version', dialect.text)
    .addColumn('revision', dialect.text)
    .addColumn('storage_configuration_digest', dialect.text)
    .addColumn('last_successful_status_check_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
}

async function addEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('geo_events')
    .addColumn('id', ...dialect.id)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('event_name', dialect.text, (column) => column.notNull())
    .addColumn('replicable_name', dialect.text, (column) => column.notNull())
    .addColumn('replicable_id', dialect.integer, (column) => column.notNull())
    .addColumn('rescoped', dialect.boolean, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('geo_checksums')
    .addColumn('replicable_name', dialect.text, (column) => column.notNull())
    .addColumn('replicable_id', dialect.integer, (column) => column.notNull())
    .addColumn('version', dialect.text, (column) => column.notNull())
    .addColumn('checksum', dialect.text)
    .addColumn('checked_at', dialect.timestamp, (column) => column.notNull())
    .addPrimaryKeyConstraint('geo_checksums_pkey', ['replicable_name', 'replicable_id'])
    .execute();
}

/** Condition of all event triggers: without a secondary, no events are written. */
const hasSecondary = sql<SqlBool>`exists (select 1 from geo_sites where not is_primary)`;
/** Condition of events about moved objects, which matter only to sites with selective sync. */
const hasSelectiveSync = sql<SqlBool>`exists (select 1 from geo_sites where selective_sync_type is not null)`;

type Timestamp = RawBuilder<string>;
type EventName = 'created' | 'updated' | 'deleted';

/** Beginning of the statements that insert events. */
const insertIntoEvents = sql`insert into geo_events (created_at, event_name, replicable_name, replicable_id, rescoped)`;

/** Creates the `insertStatements` of a trigger that inserts one event. */
const insertEvent =
  (name: EventName, replicable: string, id: string, rescoped: RawBuilder<unknown> = sql`false`) =>
  (timestamp: Timestamp) => [
    sql`${insertIntoEvents} values (${timestamp}, ${sql.lit(name)}, ${sql.lit(replicable)}, ${sql.ref(id)}, ${rescoped})`,
  ];

async function addRepositoryEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  const [table, replicable] = ['repositories', 'project_repository'];
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_repository_created',
    table,
    after: 'insert',
    when: hasSecondary,
    insertStatements: insertEvent('created', replicable, 'new.project_id'),
  });
  const isStorageChanged = sql<SqlBool>`(old.storage <> new.storage)`;
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_repository_updated',
    table,
    after: { update: ['ref_state_version', 'default_branch', 'storage'] },
    when: sql<SqlBool>`(old.ref_state_version <> new.ref_state_version or old.default_branch <> new.default_branch
      or ${isStorageChanged}) and ${hasSecondary}`,
    insertStatements: insertEvent('updated', replicable, 'new.project_id', isStorageChanged),
  });
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_repository_deleted',
    table,
    after: 'delete',
    when: hasSecondary,
    insertStatements: insertEvent('deleted', replicable, 'old.project_id'),
  });
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_repository_renamed',
    table: 'routes',
    after: { update: ['full_path'] },
    when: sql<SqlBool>`new.project_id is not null and old.full_path <> new.full_path and ${hasSecondary}`,
    insertStatements: insertEvent('updated', replicable, 'new.project_id', sql`true`),
  });
}

/** Adds the events of snippets. The first event of a snippet is written when its repository exists. */
async function addSnippetEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  const [table, replicable] = ['snippets', 'snippet_repository'];
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_snippet_created',
    table,
    after: { update: ['made'] },
    when: sql<SqlBool>`new.made and not old.made and ${hasSecondary}`,
    insertStatements: insertEvent('created', replicable, 'new.id'),
  });
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_snippet_moved',
    table,
    after: { update: ['storage'] },
    when: sql<SqlBool>`old.storage <> new.storage and new.made and ${hasSecondary}`,
    insertStatements: insertEvent('updated', replicable, 'new.id', sql`true`),
  });
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_snippet_deleted',
    table,
    after: 'delete',
    when: sql<SqlBool>`old.made and ${hasSecondary}`,
    insertStatements: insertEvent('deleted', replicable, 'old.id'),
  });
}

/** Adds the events of LFS objects and artifacts, and of LFS objects that are shared with a project or no longer shared. */
async function addBlobEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  for (const [table, replicable] of [
    ['lfs_objects', 'lfs_object'],
    ['job_artifacts', 'job_artifact'],
  ] as const) {
    await addRowInsertingTrigger(db, dialect, {
      name: `geo_${replicable}_created`,
      table,
      after: 'insert',
      when: hasSecondary,
      insertStatements: insertEvent('created', replicable, 'new.id'),
    });
    await addRowInsertingTrigger(db, dialect, {
      name: `geo_${replicable}_deleted`,
      table,
      after: 'delete',
      when: hasSecondary,
      insertStatements: insertEvent('deleted', replicable, 'old.id'),
    });
  }
  for (const [after, row] of [
    ['insert', 'new'],
    ['delete', 'old'],
  ] as const) {
    await addRowInsertingTrigger(db, dialect, {
      name: `geo_lfs_object_shared_${after}`,
      table: 'lfs_object_projects',
      after,
      when: hasSelectiveSync,
      insertStatements: insertEvent('updated', 'lfs_object', `${row}.lfs_object_id`, sql`true`),
    });
  }
}

/** Adds the events of blobs that move with their project to another group or storage. */
async function addMovedBlobEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  const insertBlobEvents = (projectCondition: RawBuilder<SqlBool>) => (timestamp: Timestamp) => [
    sql`${insertIntoEvents} select ${timestamp}, 'updated', 'lfs_object', lfs_object_id, true from lfs_object_projects where ${projectCondition}`,
    sql`${insertIntoEvents} select ${timestamp}, 'updated', 'job_artifact', id, true from job_artifacts where ${projectCondition}`,
  ];
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_blobs_stored_elsewhere',
    table: 'repositories',
    after: { update: ['storage'] },
    when: sql<SqlBool>`old.storage <> new.storage and ${hasSelectiveSync}`,
    insertStatements: insertBlobEvents(sql<SqlBool>`project_id = new.project_id`),
  });
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_blobs_transferred',
    table: 'projects',
    after: { update: ['namespace_id'] },
    when: sql<SqlBool>`old.namespace_id <> new.namespace_id and ${hasSelectiveSync}`,
    insertStatements: insertBlobEvents(sql<SqlBool>`project_id = new.id`),
  });
  const projectIdsInGroup = sql`select p.id from projects p join namespace_closure c on c.descendant_id = p.namespace_id
    where c.ancestor_id = new.id`;
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_blobs_transferred_with_group',
    table: 'namespaces',
    after: { update: ['parent_id'] },
    when: sql<SqlBool>`coalesce(old.parent_id, 0) <> coalesce(new.parent_id, 0) and ${hasSelectiveSync}`,
    insertStatements: insertBlobEvents(sql<SqlBool>`project_id in (${projectIdsInGroup})`),
  });
}
