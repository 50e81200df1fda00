import { Type } from 'typebox';
import { ENVIRONMENT_TIERS, environmentFields } from '#api/environments/environment-model/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { findEnvironments } from '#domain/environments.ts';
import { buildAlertPath } from '#domain/namespaces/routes.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { parseJsonIncrementally } from '#http/request/incremental-json.ts';
import { requireRow } from '#runtime/failure.ts';
import type { JsonObject } from '#text/json-object.ts';
import { flattenMembers } from '../alerts/index.ts';
import { type AlertNoteRow, type AlertRow, loadAlertDetails, loadIssueIids } from './store.ts';

// The entities of alerts and their notes (contract/monitoring.md §6).

const text = Type.String();
const optionalText = nullable(text);

/** The environment of an alert, with its state and tier. */
const AlertEnvironment = entity('AlertEnvironment', {
  ...environmentFields,
  state: Type.Enum(['available', 'stopping', 'stopped']),
  tier: Type.Enum([...ENVIRONMENT_TIERS]),
}).columns();

const alertFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: text,
  description: optionalText,
  severity: Type.Enum(['critical', 'high', 'medium', 'low', 'info', 'unknown']),
  status: Type.Enum(['triggered', 'acknowledged', 'resolved', 'ignored']),
  service: optionalText,
  monitoring_tool: optionalText,
  hosts: Type.Array(text),
  started_at: dateTime,
  ended_at: nullable(dateTime),
  event_count: Type.Integer({ description: 'The number of payloads that reported the alert.' }),
  fingerprint: optionalText,
  environment: nullable(AlertEnvironment.schema),
  runbook: optionalText,
  issue_iid: nullable(Type.Integer()),
  assignees: Type.Array(UserBasic.schema),
  created_at: dateTime,
  updated_at: dateTime,
  web_url: text,
};

const ALERT_COLUMNS = [
  ...(['id', 'iid', 'project_id', 'title', 'description', 'severity', 'status', 'service', 'monitoring_tool'] as const),
  ...(['started_at', 'ended_at', 'event_count', 'fingerprint', 'runbook', 'created_at', 'updated_at'] as const),
] as const;

async function loadAlertRelations(rows: readonly AlertRow[], { db }: SerializationContext) {
  const distinctIds = (column: 'environment_id' | 'issue_id' | 'assignee_id') => [
    ...new Set(rows.flatMap((row) => row[column] ?? [])),
  ];
  const [environments, issues, users] = await Promise.all([
    findEnvironments(db, distinctIds('environment_id')),
    loadIssueIids(db, distinctIds('issue_id')),
    loadUsersById(db, distinctIds('assignee_id')),
  ]);
  return {
    environmentsById: new Map(environments.map((environment) => [environment.id, environment])),
    issueIidsById: new Map(issues.map(({ id, iid }) => [id, iid])),
    usersById: users,
  };
}

function serializeAlert(
  row: AlertRow,
  context: SerializationContext,
  { environmentsById, issueIidsById, usersById }: Awaited<ReturnType<typeof loadAlertRelations>>,
) {
  const environment = row.environment_id === null ? undefined : environmentsById.get(row.environment_id);
  const assignee = row.assignee_id === null ? undefined : usersById.get(row.assignee_id);
  return {
    hosts: JSON.parse(row.hosts),
    environment: environment === undefined ? null : AlertEnvironment.serialize(environment, context),
    issue_iid: row.issue_id === null ? null : (issueIidsById.get(row.issue_id) ?? null),
    assignees: assignee === undefined ? [] : [UserBasic.serialize(assignee, context)],
    web_url: context.url + buildAlertPath(row.full_path, row.iid),
  };
}

/** An alert in lists. */
export const AlertInList = entity('AlertInList', alertFields)
  .columns(...ALERT_COLUMNS)
  .from(loadAlertRelations, serializeAlert);

interface AlertDetails {
  readonly payload: JsonObject;
  readonly details: JsonObject;
  readonly metric_query: string | null;
  readonly y_label: string | null;
}

/**
 * Loads payloads and details. The details are the payload flattened to dotted names (`a.b.c`), or the payload itself if the
 * names would be too long.
 */
async function loadAlertWithDetails(rows: readonly AlertRow[], context: SerializationContext) {
  const ids = rows.map(({ id }) => id);
  const details = new Map<number, AlertDetails>();
  for (const { id, payload: json, metric_query, y_label } of await loadAlertDetails(context.db, ids)) {
    const payload = (await parseJsonIncrementally(json)) as JsonObject;
    const members = await flattenMembers(payload);
    details.set(id, {
      payload,
      details: members === null ? payload : Object.fromEntries(members),
      metric_query,
      y_label,
    });
  }
  return { relations: await loadAlertRelations(rows, context), details };
}

const anyObject = Type.Record(Type.String(), Type.Unknown());

/** A single alert, as `getAlert` and updates return it. */
export const Alert = entity('Alert', {
  ...alertFields,
  payload: anyObject,
  details: Type.Record(Type.String(), Type.Unknown(), { description: 'The payload flattened to dotted names.' }),
  metric_query: optionalText,
  y_label: optionalText,
})
  .columns(...ALERT_COLUMNS)
  .from(loadAlertWithDetails, (row: AlertRow, context, { relations, details }) => ({
    ...serializeAlert(row, context, relations),
    ...requireRow(details.get(row.id)),
  }));

/** A note on an alert. */
export const AlertNote = entity('AlertNote', {
  id: Type.Integer(),
  body: text,
  attachment: Type.Null(),
  author: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  system: Type.Boolean(),
  noteable_id: Type.Integer(),
  noteable_type: text,
  noteable_iid: Type.Integer(),
})
  .columns('id', 'body', 'created_at', 'updated_at', 'system')
  .from(
    (rows: readonly AlertNoteRow[], context) =>
      loadUsersById(
        context.db,
        rows.map(({ author_id }) => author_id),
      ),
    (row, context, users) => ({
      attachment: null,
      author: UserBasic.serialize(requireRow(users.get(row.author_id)), context),
      noteable_id: row.alert_id,
      noteable_type: 'AlertManagement::Alert',
      noteable_iid: row.alert_iid,
    }),
  );

/** Alert counts by status. */
export const AlertStatusCounts = entity('AlertStatusCounts', {
  triggered: Type.Integer(),
  acknowledged: Type.Integer(),
  resolved: Type.Integer(),
  ignored: Type.Integer(),
  open: Type.Integer({ description: 'The number of triggered and acknowledged alerts.' }),
  all: Type.Integer(),
});
