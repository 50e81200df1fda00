import { sql } from 'kysely';
import type { Columns, Transaction } from '#database/database.ts';
import { buildParameterTable, type Params, prepare, prepareForRows, type RowParameters } from '#database/prepare.ts';
import type { AlertIntegrationType, AlertStatus } from '#database/schema.ts';

// Prepared statements for received alerts; each handles any number of alerts. The table `given` has the parameters.

/** The columns of an integration that authenticate its senders and map their payloads. */
type ReceivingIntegrationRow = Columns<
  'alert_integrations',
  'id' | 'type' | 'name' | 'active' | 'token_digest' | 'payload_attribute_mapping'
>;

/** Finds the project with this full path. index: routes_by_full_path */
export const findProjectByPath = prepare<{ path: string }, { id: number }>((db, value: Params<{ path: string }>) =>
  db
    .selectFrom('routes')
    .select((eb) => eb.ref('project_id').$notNull().as('id'))
    .where('full_path_key', '=', value('path'))
    .where('project_id', 'is not', null),
);

/** Finds the integration with this endpoint identifier. index: alert_integrations_by_endpoint */
export const findIntegrationByEndpoint = prepare<{ projectId: number; endpoint: string }, ReceivingIntegrationRow>(
  (db, value: Params<{ projectId: number; endpoint: string }>) =>
    db
      .selectFrom('alert_integrations')
      .select(['id', 'type', 'name', 'active', 'token_digest', 'payload_attribute_mapping'])
      .where('project_id', '=', value('projectId'))
      .where('endpoint_identifier', '=', value('endpoint')),
);

/** Finds the oldest integration of a type, the only one in use on tier free. index: alert_integrations_by_type */
export const findOldestIntegration = prepare<{ projectId: number; type: AlertIntegrationType }, { id: number }>(
  (db, value: Params<{ projectId: number; type: AlertIntegrationType }>) =>
    db
      .selectFrom('alert_integrations')
      .select('id')
      .where('project_id', '=', value('projectId'))
      .where('type', '=', value('type'))
      .orderBy('id')
      .limit(1),
);

interface FingerprintKey {
  readonly projectId: number;
  readonly fingerprint: string;
}

type UnresolvedAlertRow = Columns<'alerts', 'id' | 'project_id' | 'iid' | 'title' | 'fingerprint'>;

/** Loads the unresolved alerts with these fingerprints; at most one per fingerprint. index: alerts_unresolved_by_fingerprint */
export const loadUnresolvedAlerts = prepareForRows<FingerprintKey, UnresolvedAlertRow>(
  ['projectId', 'fingerprint'],
  (tx, rows: RowParameters<FingerprintKey>) =>
    tx
      .selectFrom(buildParameterTable(rows, { projectId: 'bigint', fingerprint: 'text' }))
      // A cross join fixes the join order, independently of the planner's estimates.
      .crossJoin('alerts')
      .select(['alerts.id', 'alerts.project_id', 'alerts.iid', 'alerts.title', 'alerts.fingerprint'])
      .whereRef('alerts.project_id', '=', 'given.projectId')
      .whereRef('alerts.fingerprint', '=', 'given.fingerprint')
      .where('alerts.fingerprint', 'is not', null)
      .where('alerts.status', '<>', sql.lit<AlertStatus>('resolved')),
  { pad: true },
);

interface EnvironmentNameKey {
  readonly projectId: number;
  readonly name: string;
}

/** Loads the environments with these names. index: environments_by_name */
export const loadEnvironmentsByName = prepareForRows<
  EnvironmentNameKey,
  { id: number; project_id: number; name: string }
>(
  ['projectId', 'name'],
  (tx, rows: RowParameters<EnvironmentNameKey>) =>
    tx
      .selectFrom(buildParameterTable(rows, { projectId: 'bigint', name: 'text' }))
      .crossJoin('environments')
      .select(['environments.id', 'environments.project_id', 'environments.name'])
      .whereRef('environments.project_id', '=', 'given.projectId')
      .whereRef('environments.name', '=', 'given.name'),
  { pad: true },
);

/** The row of a new alert. The `_key` columns hold case-folded texts for searches. */
export type NewAlert = Omit<Columns<'alerts'>, 'id' | 'severity_rank' | 'status_rank' | 'issue_id' | 'assignee_id'>;

const NEW_ALERT_COLUMNS: readonly (keyof NewAlert)[] = [
  'project_id',
  'iid',
  'title',
  'title_key',
  'description',
  'description_key',
  'service',
  'service_key',
  'monitoring_tool',
  'monitoring_tool_key',
  'hosts',
  'severity',
  'status',
  'started_at',
  'ended_at',
  'event_count',
  'fingerprint',
  'payload',
  'runbook',
  'metric_query',
  'y_label',
  'incident_markdown',
  'environment_id',
  'created_at',
  'updated_at',
];

/** Inserts alerts and returns their ids; the iids are allocated beforehand. */
export const insertAlerts = prepareForRows<NewAlert, { id: number; project_id: number; iid: number }>(
  NEW_ALERT_COLUMNS,
  (tx, rows: RowParameters<NewAlert>) => tx.insertInto('alerts').values(rows).returning(['id', 'project_id', 'iid']),
);

interface EventCountIncrement {
  /** Id of the alert. */
  readonly id: number;
  readonly count: number;
}

/** Increments the event counts of alerts; changes nothing else. */
export const incrementEventCounts = prepareForRows<EventCountIncrement, unknown>(
  ['id', 'count'],
  (tx, rows: RowParameters<EventCountIncrement>) =>
    tx
      .updateTable('alerts')
      .from(buildParameterTable(rows, { id: 'bigint', count: 'bigint' }))
      .set((eb) => ({ event_count: eb('alerts.event_count', '+', eb.ref('given.count')) }))
      .whereRef('alerts.id', '=', 'given.id'),
);

interface StatusUpdate {
  /** Id of the alert. */
  readonly id: number;
  readonly status: AlertStatus;
  readonly ended_at: string | null;
  /** The new `updated_at`. */
  readonly now: string;
}

/** Sets the status and the end time of alerts. */
export const updateStatuses = prepareForRows<StatusUpdate, unknown>(
  ['id', 'status', 'ended_at', 'now'],
  (tx, rows: RowParameters<StatusUpdate>) =>
    tx
      .updateTable('alerts')
      .from(buildParameterTable(rows, { id: 'bigint', status: 'text', ended_at: 'text', now: 'text' }))
      .set((eb) => ({
        status: eb.ref('given.status'),
        ended_at: eb.ref('given.ended_at'),
        updated_at: eb.ref('given.now'),
      }))
      .whereRef('alerts.id', '=', 'given.id'),
);

type NewAlertNote = Columns<'alert_notes', 'alert_id' | 'author_id' | 'body' | 'system' | 'created_at' | 'updated_at'>;

const insertNotes = prepareForRows<NewAlertNote, { id: number }>(
  ['alert_id', 'author_id', 'body', 'system', 'created_at', 'updated_at'],
  (tx, rows: RowParameters<NewAlertNote>) => tx.insertInto('alert_notes').values(rows).returning('id'),
);

export interface SystemNoteInput {
  readonly alertId: number;
  readonly authorId: number;
  readonly body: string;
}

/** Creates system notes on alerts, in the order of `notes`. */
export async function insertSystemNotes(tx: Transaction, notes: readonly SystemNoteInput[]): Promise<void> {
  const [created_at, updated_at] = [tx.now, tx.now];
  await insertNotes(
    tx,
    notes.map(({ alertId, authorId, body }) => ({
      alert_id: alertId,
      author_id: authorId,
      body,
      system: true,
      created_at,
      updated_at,
    })),
  );
}
