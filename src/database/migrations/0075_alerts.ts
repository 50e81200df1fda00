import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Alerts with their integrations and notes, and the incident settings of projects. */
export const migration: Migration = {
  name: '0075_alerts',
  async up(db, dialect) {
    await addIntegrations(db, dialect);
    await addAlerts(db, dialect);
    await addNotes(db, dialect);
    await addSettings(db, dialect);
    await db.schema
      .alterTable('issues')
      .addColumn('severity', dialect.text, (column) => column.notNull().defaultTo(sql.lit('unknown')))
      .execute();
  },
};

async function addIntegrations(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('alert_integrations')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .addColumn('type', dialect.text, (column) => column.notNull())
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('active', dialect.boolean, (column) => column.notNull())
    .addColumn('endpoint_identifier', dialect.text, (column) => column.notNull())
    .addColumn('encrypted_token', dialect.text, (column) => column.notNull())
    .addColumn('token_digest', dialect.text, (column) => column.notNull())
    .addColumn('payload_example', dialect.json, (column) => column.notNull())
    .addColumn('payload_attribute_mapping', dialect.json, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('alert_integrations_by_endpoint')
    .on('alert_integrations')
    .columns(['project_id', 'endpoint_identifier'])
    .unique()
    .execute();
  const createIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('alert_integrations').columns(columns).execute();
  await createIndex('alert_integrations_by_project', ['project_id', 'id']);
  await createIndex('alert_integrations_by_type', ['project_id', 'type', 'id']);
}

/** Values of the sortable columns, from the highest rank to the lowest. */
const RANKED_VALUES = {
  severity: ['critical', 'high', 'medium', 'low', 'info', 'unknown'],
  status: ['triggered', 'acknowledged', 'resolved', 'ignored'],
};

/**
 * Returns an SQL expression for the rank of the column's value in its list. The first value has the highest rank, so that it
 * comes first in descending order.
 */
function buildRankExpression(column: keyof typeof RANKED_VALUES) {
  const values = RANKED_VALUES[column].toReversed();
  const branches = values.map((value, rank) => sql`when ${sql.lit(value)} then ${sql.lit(rank)}`);
  return sql`case ${sql.ref(column)} ${sql.join(branches, sql` `)} end`;
}

async function addAlerts(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .addColumn('iid', dialect.integer, (column) => column.notNull())
    .addColumn('title', dialect.text, (column) => column.notNull())
    .addColumn('title_key', dialect.key, (column) => column.notNull())
    .addColumn('description', dialect.text)
    .addColumn('description_key', dialect.key)
    .addColumn('service', dialect.text)
    .addColumn('service_key', dialect.key)
    .addColumn('monitoring_tool', dialect.text)
    .addColumn('monitoring_tool_key', dialect.key)
    .addColumn('hosts', dialect.json, (column) => column.notNull())
    .addColumn('severity', dialect.text, (column) => column.notNull())
    .addColumn('severity_rank', dialect.integer, (column) =>
      column.generatedAlwaysAs(buildRankExpression('severity')).stored(),
    )
    .addColumn('status', dialect.text, (column) => column.notNull())
    .addColumn('status_rank', dialect.integer, (column) =>
      column.generatedAlwaysAs(buildRankExpression('status')).stored(),
    )
    .addColumn('started_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('ended_at', dialect.timestamp)
    .addColumn('event_count', dialect.integer, (column) => column.notNull())
    .addColumn('fingerprint', dialect.text)
    .addColumn('payload', dialect.json, (column) => column.notNull())
    .addColumn('runbook', dialect.text)
    .addColumn('metric_query', dialect.text)
    .addColumn('y_label', dialect.text)
    .addColumn('incident_markdown', dialect.text)
    .addColumn('environment_id', dialect.integer, (column) => column.references('environments.id').onDelete('set null'))
    .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('set null'))
    .addColumn('assignee_id', dialect.integer, (column) => column.references('users.id').onDelete('set null'))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint('alerts_end', sql`(ended_at is not null) = (status = 'resolved')`)
    .execute();
  await db.schema.createIndex('alerts_by_iid').on('alerts').columns(['project_id', 'iid']).unique().execute();
  await sql`create unique index alerts_unresolved_by_fingerprint on alerts (project_id, fingerprint)
    where status <> 'resolved' and fingerprint is not null`.execute(db);
  await addSortIndexes(db);
  for (const column of ['environment_id', 'issue_id', 'assignee_id']) {
    await sql`create index ${sql.id(`alerts_by_${column.slice(0, -3)}`)} on alerts (${sql.ref(column)}, id)
      where ${sql.ref(column)} is not null`.execute(db);
  }
}

async function addSortIndexes(db: MigrationDb): Promise<void> {
  await db.schema.createIndex('alerts_by_project').on('alerts').columns(['project_id', 'id']).execute();
  for (const [name, column] of Object.entries({
    start: 'started_at',
    creation: 'created_at',
    update: 'updated_at',
    event_count: 'event_count',
    severity: 'severity_rank',
    status: 'status_rank',
  })) {
    await db.schema.createIndex(`alerts_by_${name}`).on('alerts').columns(['project_id', column, 'id']).execute();
  }
  // Nulls come last in both directions; the descending order scans its index backwards.
  await sql`create index alerts_by_end_asc on alerts (project_id, (ended_at is null), ended_at, id)`.execute(db);
  await sql`create index alerts_by_end_desc on alerts (project_id, (ended_at is not null), ended_at, id)`.execute(db);
}

async function addNotes(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('alert_notes')
    .addColumn('id', ...dialect.id)
    .addColumn('alert_id', dialect.integer, (column) => column.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('author_id', dialect.integer, (column) => column.notNull().references('users.id'))
    .addColumn('body', dialect.text, (column) => column.notNull())
    .addColumn('system', dialect.boolean, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('alert_notes_by_alert')
    .on('alert_notes')
    .columns(['alert_id', 'created_at', 'id'])
    .execute();
  await db.schema.createIndex('alert_notes_by_author').on('alert_notes').columns(['author_id', 'id']).execute();
}

async function addSettings(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('incident_management_settings')
    .addColumn('project_id', dialect.integer, (column) =>
      column.primaryKey().references('projects.id').onDelete('cascade'),
    )
    .addColumn('create_issue', dialect.boolean, (column) => column.notNull())
    .addColumn('send_email', dialect.boolean, (column) => column.notNull())
    .addColumn('auto_close_incident', dialect.boolean, (column) => column.notNull())
    .addColumn('issue_template_key', dialect.text)
    .execute();
}
