import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

const projectIdColumn = 'projects.id';
const groupIdColumn = 'namespaces.id';
const userIdColumn = 'users.id';

/** Runners, pipelines, jobs, and the data of jobs. */
export const migration: Migration = {
  name: '0066_pipelines',
  async up(db, dialect) {
    await addRunners(db, dialect);
    await addManagersTokensAndQueues(db, dialect);
    await addPipelines(db, dialect);
    await addJobs(db, dialect);
    await addTracesAndArtifacts(db, dialect);
  },
};

async function addRunners(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('runners')
    .addColumn('id', ...dialect.id)
    .addColumn('runner_type', dialect.text, (column) => column.notNull())
    .addColumn('group_id', dialect.integer, (column) => column.references(groupIdColumn).onDelete('cascade'))
    .addColumn('description', dialect.text)
    .addColumn('name', dialect.text)
    .addColumn('token_digest', dialect.text, (column) => column.notNull())
    .addColumn('token_expires_at', dialect.timestamp)
    .addColumn('registration_type', dialect.text, (column) => column.notNull())
    .addColumn('creator_id', dialect.integer, (column) => column.references(userIdColumn).onDelete('set null'))
    .addColumn('paused', dialect.boolean, (column) => column.notNull())
    .addColumn('locked', dialect.boolean, (column) => column.notNull())
    .addColumn('run_untagged', dialect.boolean, (column) => column.notNull())
    .addColumn('access_level', dialect.text, (column) => column.notNull())
    .addColumn('maximum_timeout', dialect.integer)
    .addColumn('maintenance_note', dialect.text)
    .addColumn('ip_address', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('contacted_at', dialect.timestamp)
    .addColumn('version', dialect.text)
    .addColumn('revision', dialect.text)
    .addColumn('platform', dialect.text)
    .addColumn('architecture', dialect.text)
    .addColumn('queue_version', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint('runners_type', sql`(runner_type = 'group_type') = (group_id is not null)`)
    .execute();
  await db.schema.createIndex('runners_by_token').on('runners').column('token_digest').unique().execute();
  await db.schema.createIndex('runners_by_type').on('runners').columns(['runner_type', 'id']).execute();
  await db.schema.createIndex('runners_by_group').on('runners').columns(['group_id', 'id']).execute();
  await db.schema.createIndex('runners_by_creator').on('runners').columns(['creator_id', 'id']).execute();
  await db.schema.createIndex('runners_by_paused').on('runners').columns(['paused', 'id']).execute();
  await db.schema.createIndex('runners_by_contact').on('runners').columns(['contacted_at', 'id']).execute();
  await db.schema.createIndex('runners_by_creation').on('runners').columns(['created_at', 'id']).execute();
  await db.schema
    .createTable('runner_projects')
    // The first project is the owner.
    .addColumn('id', ...dialect.id)
    .addColumn('runner_id', dialect.integer, (column) => column.notNull().references('runners.id').onDelete('cascade'))
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('runner_projects_by_runner')
    .on('runner_projects')
    .columns(['runner_id', 'project_id'])
    .unique()
    .execute();
  await db.schema
    .createIndex('runner_projects_by_project')
    .on('runner_projects')
    .columns(['project_id', 'runner_id'])
    .execute();
  await db.schema
    .createTable('runner_tags')
    .addColumn('runner_id', dialect.integer, (column) => column.notNull().references('runners.id').onDelete('cascade'))
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('position', dialect.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('runner_tags_pkey', ['runner_id', 'name'])
    .execute();
  await db.schema.createIndex('runner_tags_by_name').on('runner_tags').columns(['name', 'runner_id']).execute();
}

async function addManagersTokensAndQueues(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('runner_managers')
    .addColumn('id', ...dialect.id)
    .addColumn('runner_id', dialect.integer, (column) => column.notNull().references('runners.id').onDelete('cascade'))
    .addColumn('system_id', dialect.text, (column) => column.notNull())
    .addColumn('version', dialect.text)
    .addColumn('revision', dialect.text)
    .addColumn('platform', dialect.text)
    .addColumn('architecture', dialect.text)
    .addColumn('executor', dialect.text)
    .addColumn('ip_address', dialect.text, (column) => column.notNull().defaultTo(''))
    .addColumn('features', dialect.json)
    .addColumn('config', dialect.json)
    .addColumn('labels', dialect.json)
    .addColumn('contacted_at', dialect.timestamp)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('runner_managers_by_system_id')
    .on('runner_managers')
    .columns(['runner_id', 'system_id'])
    .unique()
    .execute();
  await db.schema
    .createIndex('runner_managers_by_contact')
    .on('runner_managers')
    .columns(['contacted_at', 'id'])
    .execute();
  await db.schema
    .createIndex('runner_managers_by_runner')
    .on('runner_managers')
    .columns(['runner_id', 'contacted_at', 'id'])
    .execute();
  await db.schema
    .createTable('runner_registration_tokens')
    .addColumn('id', ...dialect.id)
    .addColumn('group_id', dialect.integer, (column) => column.references(groupIdColumn).onDelete('cascade'))
    .addColumn('project_id', dialect.integer, (column) => column.references(projectIdColumn).onDelete('cascade'))
    .addColumn('token', dialect.text, (column) => column.notNull())
    .addColumn('token_digest', dialect.text, (column) => column.notNull())
    .execute();
  const tokensTable = 'runner_registration_tokens';
  await db.schema.createIndex(`${tokensTable}_by_token`).on(tokensTable).column('token_digest').unique().execute();
  await db.schema.createIndex(`${tokensTable}_by_group`).on(tokensTable).column('group_id').unique().execute();
  await db.schema.createIndex(`${tokensTable}_by_project`).on(tokensTable).column('project_id').unique().execute();
  // At most one registration token belongs to the instance: it has neither a group nor a project.
  await db.schema
    .createIndex(`${tokensTable}_of_instance`)
    .on(tokensTable)
    .expression(sql`(1)`)
    .unique()
    .where(sql.ref('group_id'), 'is', null)
    .where(sql.ref('project_id'), 'is', null)
    .execute();
  await db.schema
    .createTable('runner_queues')
    .addColumn('scope', dialect.text, (column) => column.notNull())
    .addColumn('scope_id', dialect.integer, (column) => column.notNull())
    .addColumn('shard', dialect.integer, (column) => column.notNull())
    .addColumn('version', dialect.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('runner_queues_pkey', ['scope', 'scope_id', 'shard'])
    .execute();
}

async function addPipelines(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('pipelines')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('iid', dialect.integer, (column) => column.notNull())
    .addColumn('ref', dialect.text, (column) => column.notNull())
    .addColumn('tag', dialect.boolean, (column) => column.notNull())
    .addColumn('sha', dialect.text, (column) => column.notNull())
    .addColumn('before_sha', dialect.text, (column) => column.notNull())
    .addColumn('source', dialect.text, (column) => column.notNull())
    .addColumn('origin', dialect.text)
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('protected', dialect.boolean, (column) => column.notNull())
    .addColumn('user_id', dialect.integer, (column) => column.references(userIdColumn).onDelete('set null'))
    .addColumn('yaml_errors', dialect.text)
    .addColumn('failure_reason', dialect.text)
    .addColumn('name', dialect.text)
    .addColumn('started_at', dialect.timestamp)
    .addColumn('finished_at', dialect.timestamp)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  const uniqueIndexes = { pipelines_by_iid: ['project_id', 'iid'], pipelines_by_origin: ['project_id', 'origin'] };
  for (const [name, columns] of Object.entries(uniqueIndexes)) {
    await db.schema.createIndex(name).on('pipelines').columns(columns).unique().execute();
  }
  const indexes = {
    pipelines_by_project: ['project_id', 'id'],
    pipelines_by_ref: ['project_id', 'ref', 'id'],
    pipelines_by_sha: ['project_id', 'sha', 'id'],
    pipelines_by_status: ['project_id', 'status', 'id'],
    pipelines_by_updated_at: ['project_id', 'updated_at', 'id'],
    pipelines_by_user: ['user_id', 'id'],
    pipelines_by_project_user: ['project_id', 'user_id', 'id'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('pipelines').columns(columns).execute();
  }
  await db.schema
    .createTable('pipeline_variables')
    .addColumn('id', ...dialect.id)
    .addColumn('pipeline_id', dialect.integer, (column) =>
      column.notNull().references('pipelines.id').onDelete('cascade'),
    )
    .addColumn('key', dialect.text, (column) => column.notNull())
    .addColumn('value', dialect.text, (column) => column.notNull())
    .addColumn('variable_type', dialect.text, (column) => column.notNull())
    .addColumn('raw', dialect.boolean, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('pipeline_variables_by_key')
    .on('pipeline_variables')
    .columns(['pipeline_id', 'key'])
    .unique()
    .execute();
  await db.schema
    .createTable('resource_groups')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('key', dialect.text, (column) => column.notNull())
    .addColumn('process_mode', dialect.text, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('resource_groups_by_key')
    .on('resource_groups')
    .columns(['project_id', 'key'])
    .unique()
    .execute();
}

async function addJobs(db: MigrationDb, dialect: Dialect): Promise<void> {
  let table = db.schema
    .createTable('jobs')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('pipeline_id', dialect.integer, (column) =>
      column.notNull().references('pipelines.id').onDelete('cascade'),
    )
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('stage', dialect.text, (column) => column.notNull())
    .addColumn('stage_index', dialect.integer, (column) => column.notNull())
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('run_when', dialect.text, (column) => column.notNull())
    .addColumn('allow_failure', dialect.boolean, (column) => column.notNull())
    .addColumn('retried', dialect.boolean, (column) => column.notNull())
    .addColumn('protected', dialect.boolean, (column) => column.notNull())
    .addColumn('user_id', dialect.integer, (column) => column.references(userIdColumn).onDelete('set null'))
    // No foreign key: a deleted runner may have a million jobs, which then need no update.
    .addColumn('runner_id', dialect.integer)
    .addColumn('runner_manager_id', dialect.integer)
    .addColumn('token_digest', dialect.text)
    .addColumn('failure_reason', dialect.text)
    .addColumn('exit_code', dialect.integer)
    .addColumn('coverage', dialect.real)
    .addColumn('timeout', dialect.integer)
    .addColumn('file_timeout', dialect.integer)
    .addColumn('environment', dialect.text)
    .addColumn('resource_group_id', dialect.integer, (column) =>
      column.references('resource_groups.id').onDelete('set null'),
    )
    .addColumn('trace_size', dialect.integer, (column) => column.notNull().defaultTo(0));
  const timestampColumns = [
    'artifacts_expire_at',
    'scheduled_at',
    'queued_at',
    'started_at',
    'finished_at',
    'erased_at',
  ];
  for (const name of [...timestampColumns, 'last_seen_at'] as const) table = table.addColumn(name, dialect.timestamp);
  await table
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('needs', dialect.json)
    .addColumn('options', dialect.json, (column) => column.notNull())
    .execute();
  const indexes = {
    jobs_by_project: ['project_id', 'id'],
    jobs_by_status: ['project_id', 'status', 'id'],
    jobs_by_pipeline: ['pipeline_id', 'id'],
    jobs_by_runner: ['runner_id', 'id'],
    jobs_by_runner_status: ['runner_id', 'status', 'id'],
    jobs_by_runner_manager: ['runner_manager_id', 'id'],
    jobs_by_user: ['user_id', 'id'],
    jobs_by_resource_group: ['resource_group_id', 'status', 'id'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('jobs').columns(columns).execute();
  }
  await db.schema
    .createIndex('jobs_latest_by_name')
    .on('jobs')
    .columns(['pipeline_id', 'name'])
    .unique()
    .where(sql<boolean>`not retried`)
    .execute();
  await db.schema.createIndex('jobs_by_token').on('jobs').column('token_digest').unique().execute();
  // Partial indexes of unfinished jobs, which are few.
  for (const status of ['pending', 'running', 'canceling', 'scheduled', 'waiting_for_resource']) {
    await db.schema
      .createIndex(`jobs_${status}`)
      .on('jobs')
      .columns(['project_id', 'id'])
      .where(sql.ref('status'), '=', sql.lit(status))
      .execute();
  }
  await db.schema
    .createTable('job_tags')
    .addColumn('job_id', dialect.integer, (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('position', dialect.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('job_tags_pkey', ['job_id', 'name'])
    .execute();
  await db.schema
    .createTable('job_variables')
    .addColumn('id', ...dialect.id)
    .addColumn('job_id', dialect.integer, (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('key', dialect.text, (column) => column.notNull())
    .addColumn('value', dialect.text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('job_variables_by_key').on('job_variables').columns(['job_id', 'key']).unique().execute();
}

async function addTracesAndArtifacts(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('job_trace_chunks')
    .addColumn('job_id', dialect.integer, (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('start', dialect.integer, (column) => column.notNull())
    .addColumn('size', dialect.integer, (column) => column.notNull())
    .addColumn('sha256', dialect.text, (column) => column.notNull().references('blobs.sha256'))
    .addPrimaryKeyConstraint('job_trace_chunks_pkey', ['job_id', 'start'])
    .execute();
  await db.schema.createIndex('job_trace_chunks_by_blob').on('job_trace_chunks').column('sha256').execute();
  await db.schema
    .createTable('job_artifacts')
    .addColumn('id', ...dialect.id)
    .addColumn('job_id', dialect.integer, (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references(projectIdColumn).onDelete('cascade'),
    )
    .addColumn('file_type', dialect.text, (column) => column.notNull())
    .addColumn('file_format', dialect.text)
    .addColumn('filename', dialect.text, (column) => column.notNull())
    .addColumn('size', dialect.integer, (column) => column.notNull())
    .addColumn('sha256', dialect.text, (column) => column.notNull().references('blobs.sha256'))
    .addColumn('accessibility', dialect.text, (column) => column.notNull())
    .addColumn('expire_at', dialect.timestamp)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('job_artifacts_by_job')
    .on('job_artifacts')
    .columns(['job_id', 'file_type'])
    .unique()
    .execute();
  await db.schema.createIndex('job_artifacts_by_project').on('job_artifacts').columns(['project_id', 'id']).execute();
  await db.schema.createIndex('job_artifacts_by_blob').on('job_artifacts').column('sha256').execute();
  await db.schema.createIndex('job_artifacts_by_expiry').on('job_artifacts').columns(['expire_at', 'id']).execute();
}
