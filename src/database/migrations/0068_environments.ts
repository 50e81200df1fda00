import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Environments, deployments, and protected environments. */
export const migration: Migration = {
  name: '0068_environments',
  async up(db, dialect) {
    await addEnvironments(db, dialect);
    await addProtections(db, dialect);
    await addDeployments(db, dialect);
    await addMergeCommitIndexes(db);
    // Partial index of jobs with an environment, which are few.
    await sql`create index jobs_with_environment on jobs (pipeline_id) where "environment" is not null`.execute(db);
  },
};

/** Adds the indexes for finding the merge requests of a deployment by its commits. */
async function addMergeCommitIndexes(db: MigrationDb): Promise<void> {
  for (const kind of ['merge', 'squash']) {
    await sql`create index ${sql.id(`merge_requests_by_${kind}_commit`)} on merge_requests
      (project_id, ${sql.id(`${kind}_commit_sha`)}) where ${sql.id(`${kind}_commit_sha`)} is not null`.execute(db);
  }
  await sql`create index merge_requests_merged_by_head on merge_requests (project_id, head_sha)
    where state = 'merged'`.execute(db);
}

async function addEnvironments(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('environments')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('name_key', dialect.key, (column) => column.notNull())
    .addColumn('rest_key', dialect.key)
    .addColumn('slug', dialect.text, (column) => column.notNull())
    .addColumn('folder', dialect.text)
    .addColumn('external_url', dialect.text)
    .addColumn('state', dialect.text, (column) => column.notNull())
    .addColumn('tier', dialect.text, (column) => column.notNull())
    .addColumn('description', dialect.text)
    .addColumn('auto_stop_setting', dialect.text, (column) => column.notNull())
    .addColumn('auto_stop_at', dialect.timestamp)
    .addColumn('auto_delete_at', dialect.timestamp)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  const createUniqueIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('environments').columns(columns).unique().execute();
  const createIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('environments').columns(columns).execute();
  await createUniqueIndex('environments_by_name', ['project_id', 'name']);
  await createUniqueIndex('environments_by_slug', ['project_id', 'slug']);
  await createIndex('environments_by_project', ['project_id', 'id']);
  await createIndex('environments_by_state', ['project_id', 'state', 'id']);
  // Covering indexes: a search counts rows in the index only.
  await createIndex('environments_by_name_key', ['project_id', 'name_key', 'state', 'id']);
  await sql`create index environments_by_rest_key on environments (project_id, rest_key, name_key, state, id)
    where "rest_key" is not null`.execute(db);
  await sql`create index environments_review_apps on environments (project_id, created_at, id)
    where folder = 'review' and state = 'stopped' and auto_delete_at is null`.execute(db);
  await sql`create index environments_stale on environments (project_id, updated_at, id)
    where state = 'available'`.execute(db);
  await sql`create index environments_by_auto_stop on environments (auto_stop_at, id)
    where state = 'available' and auto_stop_at is not null`.execute(db);
  await sql`create index environments_by_auto_delete on environments (auto_delete_at, id)
    where state = 'stopped' and auto_delete_at is not null`.execute(db);
}

async function addProtections(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('protected_environments')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
    .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('required_approval_count', dialect.integer, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint('protected_environments_owner', sql`(project_id is null) <> (group_id is null)`)
    .execute();
  for (const owner of ['project', 'group']) {
    await db.schema
      .createIndex(`protected_environments_by_${owner}`)
      .on('protected_environments')
      .columns([`${owner}_id`, 'name'])
      .unique()
      .execute();
  }
  await createPrincipalTable(db, dialect, 'protected_environment_deploy_access_levels', 'deploy_access_levels');
  await createPrincipalTable(db, dialect, 'protected_environment_approval_rules', 'approval_rules');
  await db.schema
    .alterTable('protected_environment_approval_rules')
    .addColumn('required_approvals', dialect.integer, (column) => column.notNull().defaultTo(1))
    .execute();
}

/** Creates a table whose rows each name one role, user or group. `indexPrefix` is the prefix of its constraints and indexes. */
async function createPrincipalTable(
  db: MigrationDb,
  dialect: Dialect,
  table: string,
  indexPrefix: string,
): Promise<void> {
  await db.schema
    .createTable(table)
    .addColumn('id', ...dialect.id)
    .addColumn('protected_environment_id', dialect.integer, (column) =>
      column.notNull().references('protected_environments.id').onDelete('cascade'),
    )
    .addColumn('access_level', dialect.integer)
    .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
    .addColumn('group_inheritance_type', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addCheckConstraint(
      `${indexPrefix}_principal`,
      sql`(case when access_level is null then 0 else 1 end) + (case when user_id is null then 0 else 1 end)
        + (case when group_id is null then 0 else 1 end) = 1`,
    )
    .execute();
  await db.schema
    .createIndex(`${indexPrefix}_by_protection`)
    .on(table)
    .columns(['protected_environment_id', 'id'])
    .execute();
  for (const column of ['user_id', 'group_id']) {
    await db.schema
      .createIndex(`${indexPrefix}_by_${column.slice(0, -3)}`)
      .on(table)
      .column(column)
      .execute();
  }
}

async function addDeployments(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('deployments')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .addColumn('iid', dialect.integer, (column) => column.notNull())
    .addColumn('environment_id', dialect.integer, (column) =>
      column.notNull().references('environments.id').onDelete('cascade'),
    )
    .addColumn('ref', dialect.text, (column) => column.notNull())
    .addColumn('tag', dialect.boolean, (column) => column.notNull())
    .addColumn('sha', dialect.text, (column) => column.notNull())
    .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
    .addColumn('job_id', dialect.integer, (column) => column.references('jobs.id').onDelete('set null'))
    .addColumn('on_stop', dialect.text)
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('finished_at', dialect.timestamp)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  const createIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('deployments').columns(columns).execute();
  const createUniqueIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('deployments').columns(columns).unique().execute();
  await createUniqueIndex('deployments_by_iid', ['project_id', 'iid']);
  await createUniqueIndex('deployments_by_job', ['job_id']);
  await createIndex('deployments_by_project', ['project_id', 'id']);
  await createIndex('deployments_by_creation', ['project_id', 'created_at', 'id']);
  await createIndex('deployments_by_update', ['project_id', 'updated_at', 'id']);
  await createIndex('deployments_by_status', ['project_id', 'status', 'id']);
  // Lists ordered by `finished_at` always filter by status.
  await createIndex('deployments_by_end', ['project_id', 'status', 'finished_at', 'id']);
  await createIndex('deployments_by_environment', ['environment_id', 'id']);
  await createIndex('deployments_by_environment_creation', ['environment_id', 'created_at', 'id']);
  await createIndex('deployments_by_environment_update', ['environment_id', 'updated_at', 'id']);
  await createIndex('deployments_finished', ['environment_id', 'status', 'finished_at', 'id']);
  await createIndex('deployments_by_user', ['user_id', 'id']);
  await sql`create index deployments_by_ref on deployments (project_id, ref, environment_id)
    where status = 'success'`.execute(db);
  await db.schema
    .createTable('deployment_merge_requests')
    .addColumn('deployment_id', dialect.integer, (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('environment_id', dialect.integer, (column) =>
      column.notNull().references('environments.id').onDelete('cascade'),
    )
    .addColumn('merge_request_id', dialect.integer, (column) =>
      column.notNull().references('merge_requests.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('deployment_merge_requests_pkey', ['environment_id', 'merge_request_id'])
    .execute();
  await db.schema
    .createIndex('deployment_merge_requests_by_deployment')
    .on('deployment_merge_requests')
    .columns(['deployment_id', 'merge_request_id'])
    .execute();
  await db.schema
    .createIndex('deployment_merge_requests_by_merge_request')
    .on('deployment_merge_requests')
    .column('merge_request_id')
    .execute();
  await db.schema
    .createTable('deployment_approvals')
    .addColumn('id', ...dialect.id)
    .addColumn('deployment_id', dialect.integer, (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('approval_rule_id', dialect.integer, (column) =>
      column.references('protected_environment_approval_rules.id').onDelete('set null'),
    )
    .addColumn('rule_key', dialect.integer, (column) => column.notNull())
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('comment', dialect.text)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('deployment_approvals_by_rule')
    .on('deployment_approvals')
    .columns(['deployment_id', 'user_id', 'rule_key'])
    .unique()
    .execute();
  for (const column of ['user_id', 'approval_rule_id']) {
    await db.schema
      .createIndex(`deployment_approvals_by_${column}`)
      .on('deployment_approvals')
      .column(column)
      .execute();
  }
}
