import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Migration by direct transfer: imports, their entities, progress and failures. */
export const migration: Migration = {
  name: '0081_bulk_imports',
  async up(db, dialect) {
    await addImports(db, dialect);
    await addEntities(db, dialect);
    await addProgress(db, dialect);
    await addFailures(db, dialect);
  },
};

/** States of imports and entities, for check constraints. */
const STATES = sql`('created', 'started', 'finished', 'timeout', 'failed', 'canceled')`;

async function addImports(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('bulk_imports')
    .addColumn('id', ...dialect.id)
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('source_version', dialect.text)
    .addColumn('source_enterprise', dialect.boolean)
    .addColumn('source_url', dialect.text, (column) => column.notNull())
    .addColumn('has_failures', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('ended_at', dialect.timestamp)
    .addCheckConstraint('bulk_imports_status', sql`status in ${STATES}`)
    .execute();
  await addListIndexes(db, 'bulk_imports', 'user', 'user_id');
  await sql`create index bulk_imports_under_way on bulk_imports (updated_at, id)
    where status in ('created', 'started')`.execute(db);
  await db.schema
    .createTable('bulk_import_configurations')
    .addColumn('bulk_import_id', dialect.integer, (column) =>
      column.primaryKey().references('bulk_imports.id').onDelete('cascade'),
    )
    .addColumn('encrypted_url', dialect.text, (column) => column.notNull())
    .addColumn('encrypted_token', dialect.text, (column) => column.notNull())
    .execute();
}

async function addEntities(db: MigrationDb, dialect: Dialect): Promise<void> {
  const referenceImport = (column: Parameters<Dialect['id'][1]>[0]) =>
    column.notNull().references('bulk_imports.id').onDelete('cascade');
  await db.schema
    .createTable('bulk_import_entities')
    .addColumn('id', ...dialect.id)
    .addColumn('bulk_import_id', dialect.integer, referenceImport)
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('parent_id', dialect.integer, (column) =>
      column.references('bulk_import_entities.id').onDelete('cascade'),
    )
    .addColumn('source_type', dialect.text, (column) => column.notNull())
    .addColumn('source_full_path', dialect.text, (column) => column.notNull())
    .addColumn('source_id', dialect.integer)
    .addColumn('destination_namespace', dialect.text, (column) => column.notNull())
    .addColumn('destination_slug', dialect.text, (column) => column.notNull())
    .addColumn('namespace_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('set null'))
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('set null'))
    .addColumn('migrate_projects', dialect.boolean, (column) => column.notNull())
    .addColumn('migrate_memberships', dialect.boolean, (column) => column.notNull())
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('has_failures', dialect.boolean, (column) => column.notNull().defaultTo(false))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint('bulk_import_entities_status', sql`status in ${STATES}`)
    .addCheckConstraint('bulk_import_entities_one', sql`namespace_id is null or project_id is null`)
    .execute();
  await addListIndexes(db, 'bulk_import_entities', 'user', 'user_id');
  await addListIndexes(db, 'bulk_import_entities', 'import', 'bulk_import_id');
  await sql`create index bulk_import_entities_in_order on bulk_import_entities (bulk_import_id, status, id)`.execute(
    db,
  );
  for (const [name, column] of [
    ['parent', 'parent_id'],
    ['namespace', 'namespace_id'],
    ['project', 'project_id'],
  ] as const) {
    await sql`create index ${sql.id(`bulk_import_entities_by_${name}`)} on bulk_import_entities (${sql.ref(column)})
      where ${sql.ref(column)} is not null`.execute(db);
  }
}

/** Adds the indexes of lists ordered by creation, with and without a filter by status. */
async function addListIndexes(db: MigrationDb, table: string, name: string, column: string): Promise<void> {
  await db.schema.createIndex(`${table}_by_${name}`).on(table).columns([column, 'created_at', 'id']).execute();
  await db.schema
    .createIndex(`${table}_by_${name}_status`)
    .on(table)
    .columns([column, 'status', 'created_at', 'id'])
    .execute();
}

async function addProgress(db: MigrationDb, dialect: Dialect): Promise<void> {
  const asCounter = (column: Parameters<Dialect['id'][1]>[0]) => column.notNull().defaultTo(0);
  await db.schema
    .createTable('bulk_import_trackers')
    .addColumn('id', ...dialect.id)
    .addColumn('entity_id', dialect.integer, (column) =>
      column.notNull().references('bulk_import_entities.id').onDelete('cascade'),
    )
    .addColumn('relation', dialect.text, (column) => column.notNull())
    .addColumn('stage', dialect.integer, (column) => column.notNull())
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('next_page', dialect.integer)
    .addColumn('source_count', dialect.integer, asCounter)
    .addColumn('fetched_count', dialect.integer, asCounter)
    .addColumn('imported_count', dialect.integer, asCounter)
    .addColumn('retried_call', dialect.text)
    .addColumn('retries', dialect.integer, asCounter)
    .execute();
  await db.schema
    .createIndex('bulk_import_trackers_by_relation')
    .on('bulk_import_trackers')
    .columns(['entity_id', 'relation'])
    .unique()
    .execute();
  await db.schema
    .createTable('bulk_import_objects')
    .addColumn('bulk_import_id', dialect.integer, (column) =>
      column.notNull().references('bulk_imports.id').onDelete('cascade'),
    )
    .addColumn('entity_id', dialect.integer, (column) =>
      column.notNull().references('bulk_import_entities.id').onDelete('cascade'),
    )
    .addColumn('kind', dialect.text, (column) => column.notNull())
    .addColumn('source_key', dialect.text, (column) => column.notNull())
    .addColumn('local_id', dialect.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('bulk_import_objects_pkey', ['bulk_import_id', 'kind', 'source_key', 'entity_id'])
    .execute();
  await db.schema.createIndex('bulk_import_objects_by_entity').on('bulk_import_objects').column('entity_id').execute();
  await db.schema
    .createTable('bulk_import_users')
    .addColumn('bulk_import_id', dialect.integer, (column) =>
      column.notNull().references('bulk_imports.id').onDelete('cascade'),
    )
    .addColumn('source_user_id', dialect.integer, (column) => column.notNull())
    .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('bulk_import_users_pkey', ['bulk_import_id', 'source_user_id'])
    .execute();
  await db.schema.createIndex('bulk_import_users_by_user').on('bulk_import_users').column('user_id').execute();
}

async function addFailures(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('bulk_import_failures')
    .addColumn('id', ...dialect.id)
    .addColumn('entity_id', dialect.integer, (column) =>
      column.notNull().references('bulk_import_entities.id').onDelete('cascade'),
    )
    .addColumn('relation', dialect.text, (column) => column.notNull())
    .addColumn('step', dialect.text, (column) => column.notNull())
    .addColumn('exception_class', dialect.text, (column) => column.notNull())
    .addColumn('exception_message', dialect.text, (column) => column.notNull())
    .addColumn('correlation_id', dialect.text, (column) => column.notNull())
    .addColumn('source_url', dialect.text)
    .addColumn('source_title', dialect.text)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('bulk_import_failures_by_entity')
    .on('bulk_import_failures')
    .columns(['entity_id', 'id'])
    .execute();
}
