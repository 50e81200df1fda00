import type { Columns, Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

// Queries that connect alerts and incidents.

const columns = [
  'id',
  'project_id',
  'iid',
  'title',
  'description',
  'severity',
  'status',
  'started_at',
  'metric_query',
  'service',
  'monitoring_tool',
  'hosts',
  'incident_markdown',
  'issue_id',
] as const;

/** Selects an alert with the fields that its incident needs. index: alerts primary key */
export function buildAlertForIncidentQuery(db: Reader, id: number) {
  return db.selectFrom('alerts').select(columns).where('id', '=', id);
}

type AlertInProject = Columns<'alerts', 'id' | 'project_id'>;

// index: alerts primary key
export const loadAlertsWithoutIncident = prepareForIds<AlertInProject>((db, ids) =>
  db
    .selectFrom('alerts')
    .select(['id', 'project_id'])
    .where('id', 'in', ids)
    .where('issue_id', 'is', null)
    .where('status', '<>', 'resolved'),
);

// index: alerts primary key
export const loadAlertsWithIncident = prepareForIds<AlertInProject>((db, ids) =>
  db.selectFrom('alerts').select(['id', 'project_id']).where('id', 'in', ids).where('issue_id', 'is not', null),
);

// index: alerts primary key
export const loadNewOrResolvedAlerts = prepareForIds<AlertInProject & { ended_at: string | null }, { now: string }>(
  (db, ids, value) =>
    db
      .selectFrom('alerts')
      .select(['id', 'project_id', 'ended_at'])
      .where('id', 'in', ids)
      // An existing alert that fires again is skipped: its mail was sent when it was created.
      .where((eb) => eb.or([eb('created_at', '=', value('now')), eb('status', '=', 'resolved')])),
);

/**
 * Sets the incident of an alert that has none. Returns the alert's current status, or undefined if the alert has an incident
 * already or does not exist. index: alerts primary key
 */
export async function setAlertIncident(tx: Transaction, alertId: number, issueId: number) {
  return tx
    .updateTable('alerts')
    .set({ issue_id: issueId, updated_at: tx.now })
    .where('id', '=', alertId)
    .where('issue_id', 'is', null)
    .returning('status')
    .executeTakeFirst();
}

/** Selects the open incidents of the resolved alerts among these ids. index: alerts primary key, issues primary key */
export function buildOpenIncidentsQuery(db: Reader, alertIds: readonly number[]) {
  return db
    .selectFrom('alerts')
    .innerJoin('issues', 'issues.id', 'alerts.issue_id')
    .select(['issues.id', 'issues.iid', 'issues.project_id'])
    .where('alerts.id', 'in', alertIds)
    .where('alerts.status', '=', 'resolved')
    .where('issues.state', '=', 'opened');
}

/** Selects the unresolved alerts of an incident, with the incident's iid. index: alerts_by_issue */
export function buildUnresolvedAlertsQuery(db: Reader, issueId: number) {
  return db
    .selectFrom('alerts')
    .innerJoin('issues', 'issues.id', 'alerts.issue_id')
    .select(['alerts.id', 'issues.iid'])
    .where('alerts.issue_id', '=', issueId)
    .where('alerts.status', '<>', 'resolved');
}
