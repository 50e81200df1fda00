import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

/** Alerts as incidents are made from them, and follow them. */

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

/** index: alerts primary key */
export function alertToDescribe(db: Reader, id: number) {
  return db.selectFrom('alerts').select(columns).where('id', '=', id);
}

interface AlertInProject {
  readonly id: number;
  readonly project_id: number;
}

// index: alerts primary key
export const withoutIncident = prepareForIds<AlertInProject>((db, ids) =>
  db
    .selectFrom('alerts')
    .select(['id', 'project_id'])
    .where('id', 'in', ids)
    .where('issue_id', 'is', null)
    .where('status', '<>', 'resolved'),
);

// index: alerts primary key
export const withIncident = prepareForIds<AlertInProject>((db, ids) =>
  db.selectFrom('alerts').select(['id', 'project_id']).where('id', 'in', ids).where('issue_id', 'is not', null),
);

// index: alerts primary key
export const begunOrEnded = prepareForIds<AlertInProject & { ended_at: string | null }, { now: string }>(
  (db, ids, value) =>
    db
      .selectFrom('alerts')
      .select(['id', 'project_id', 'ended_at'])
      .where('id', 'in', ids)
      // What was there before and fires again was told of when it began.
      .where((eb) => eb.or([eb('created_at', '=', value('now')), eb('status', '=', 'resolved')])),
);

/**
 * Says which incident an alert has: one at most, whoever makes it. What the alert is at that moment; undefined: it has one
 * already, or is gone. index: alerts primary key
 */
export async function giveIncident(tx: Transaction, alertId: number, issueId: number) {
  return tx
    .updateTable('alerts')
    .set({ issue_id: issueId, updated_at: tx.now })
    .where('id', '=', alertId)
    .where('issue_id', 'is', null)
    .returning('status')
    .executeTakeFirst();
}

/** The incidents of these alerts that are open. index: alerts primary key, issues primary key */
export function openIncidentsOf(db: Reader, alertIds: readonly number[]) {
  return db
    .selectFrom('alerts')
    .innerJoin('issues', 'issues.id', 'alerts.issue_id')
    .select(['issues.id', 'issues.iid', 'issues.project_id'])
    .where('alerts.id', 'in', alertIds)
    .where('alerts.status', '=', 'resolved')
    .where('issues.state', '=', 'opened');
}

/** Those of an incident that are not resolved, with its number. index: alerts_by_issue */
export function unresolvedOf(db: Reader, issueId: number) {
  return db
    .selectFrom('alerts')
    .innerJoin('issues', 'issues.id', 'alerts.issue_id')
    .select(['alerts.id', 'issues.iid'])
    .where('alerts.issue_id', '=', issueId)
    .where('alerts.status', '<>', 'resolved');
}
