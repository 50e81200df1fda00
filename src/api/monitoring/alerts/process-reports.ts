import { getAlertBotId } from '#authentication/users/bootstrap.ts';
import type { Columns } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { AlertStatus } from '#database/schema.ts';
import { allocateIids } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParsedAlert } from './parsed-alert.ts';
import {
  incrementEventCounts,
  insertAlerts,
  insertSystemNotes,
  loadEnvironmentsByName,
  loadUnresolvedAlerts,
  type NewAlert,
  type SystemNoteInput,
  updateStatuses,
} from './store.ts';

/** Alerts that a project received in one payload, in order. */
export interface AlertReport {
  readonly projectId: number;
  readonly alerts: readonly ParsedAlert[];
}

/** The fields of an alert that the response contains. */
export type ReportedAlert = Columns<'alerts', 'iid' | 'title'>;

/** A stored unresolved alert or a new alert, with the changes of the reports that have not been written yet. */
interface PendingAlert {
  readonly projectId: number;
  readonly title: string;
  /** Null for a new alert. */
  id: number | null;
  /** 0 for a new alert, until its iid is allocated. */
  iid: number;
  /** Null for a stored alert. */
  readonly parsedAlert: ParsedAlert | null;
  /** Number of reports of this alert in the batch. */
  reportCount: number;
  /** Set by the report that resolves the alert. */
  endedAt: string | null;
  /** Bodies of the system notes to create, in this order. */
  readonly notes: string[];
}

/**
 * Applies reports to the alerts of their projects (contract/monitoring.md §4 "Processing"). Returns, for each report, the alerts
 * that it created, was grouped into or resolved, each once. The reports are applied in order, in memory: the alerts are loaded
 * first and written at the end, so the number of statements does not depend on the number of alerts.
 */
export async function processReports(uow: UnitOfWork, reports: readonly AlertReport[]): Promise<ReportedAlert[][]> {
  const unresolvedAlerts = await loadUnresolvedByFingerprint(uow, reports);
  const pendingAlerts = new Set<PendingAlert>(unresolvedAlerts.values());
  const alertsByReport = reports.map(({ projectId, alerts }) => {
    const reportAlerts = new Set<PendingAlert>();
    for (const parsedAlert of alerts) {
      const alert = applyParsedAlert(unresolvedAlerts, projectId, parsedAlert, uow.now);
      if (alert === null) continue;
      pendingAlerts.add(alert);
      reportAlerts.add(alert);
    }
    return reportAlerts;
  });
  await writeAlerts(uow, [...pendingAlerts]);
  return alertsByReport.map((reportAlerts) => [...reportAlerts].map(({ iid, title }) => ({ iid, title })));
}

const toFingerprintKey = (projectId: number, fingerprint: string) => `${projectId} ${fingerprint}`;

/** Unresolved alerts by `toFingerprintKey`. */
type PendingAlertsByFingerprint = Map<string, PendingAlert>;

async function loadUnresolvedByFingerprint(
  uow: UnitOfWork,
  reports: readonly AlertReport[],
): Promise<PendingAlertsByFingerprint> {
  const keys = new Map<string, { projectId: number; fingerprint: string }>();
  for (const { projectId, alerts } of reports) {
    for (const { fingerprint } of alerts) {
      if (fingerprint !== null) keys.set(toFingerprintKey(projectId, fingerprint), { projectId, fingerprint });
    }
  }
  const rows = await loadUnresolvedAlerts(uow, [...keys.values()]);
  return new Map(
    rows.map(({ id, project_id: projectId, iid, title, fingerprint }) => [
      toFingerprintKey(projectId, fingerprint as string),
      { projectId, title, id, iid, parsedAlert: null, reportCount: 0, endedAt: null, notes: [] },
    ]),
  );
}

/** Applies one parsed alert in memory. Returns the pending alert, or null if a recovery matches no unresolved alert. */
function applyParsedAlert(
  unresolvedAlerts: PendingAlertsByFingerprint,
  projectId: number,
  parsedAlert: ParsedAlert,
  now: string,
): PendingAlert | null {
  const key = parsedAlert.fingerprint === null ? null : toFingerprintKey(projectId, parsedAlert.fingerprint);
  const pendingAlert = key === null ? undefined : unresolvedAlerts.get(key);
  if (parsedAlert.isResolving) {
    if (pendingAlert === undefined) return null;
    unresolvedAlerts.delete(key as string);
    pendingAlert.endedAt = parsedAlert.endedAt ?? now;
    pendingAlert.notes.push(SYSTEM_NOTE_TEXTS.recovered(parsedAlert.source), SYSTEM_NOTE_TEXTS.status('resolved'));
    return pendingAlert;
  }
  if (pendingAlert !== undefined) {
    pendingAlert.reportCount++;
    return pendingAlert;
  }
  const newAlert: PendingAlert = {
    projectId,
    title: parsedAlert.title,
    id: null,
    iid: 0,
    parsedAlert,
    reportCount: 1,
    endedAt: null,
    notes: [SYSTEM_NOTE_TEXTS.logged(parsedAlert.source)],
  };
  if (key !== null) unresolvedAlerts.set(key, newAlert);
  return newAlert;
}

/** Writes the changes of existing alerts, inserts new alerts, and publishes the event. */
async function writeAlerts(uow: UnitOfWork, pendingAlerts: readonly PendingAlert[]): Promise<void> {
  const existingAlerts = pendingAlerts.flatMap((pendingAlert) =>
    pendingAlert.id === null ? [] : [{ ...pendingAlert, id: pendingAlert.id }],
  );
  const authorId = await getAlertBotId(uow);
  await incrementEventCounts(
    uow,
    existingAlerts.flatMap(({ id, reportCount }) => (reportCount === 0 ? [] : [{ id, count: reportCount }])),
  );
  // Resolve alerts before new ones with the same fingerprints are inserted.
  await transitionAlerts(
    uow,
    authorId,
    existingAlerts.flatMap(({ id, endedAt, notes }) =>
      endedAt === null ? [] : [{ id, newStatus: 'resolved', endedAt, notes }],
    ),
  );
  await insertNewAlerts(
    uow,
    authorId,
    pendingAlerts.filter(({ id }) => id === null),
  );
  await publishAlertsReported(uow, pendingAlerts);
}

/** Allocates the iids of new alerts, inserts the alerts and their system notes, and sets their ids. */
async function insertNewAlerts(uow: UnitOfWork, authorId: number, newAlerts: readonly PendingAlert[]): Promise<void> {
  if (newAlerts.length === 0) return;
  const newAlertCountsByProject = new Map<number, number>();
  for (const { projectId } of newAlerts)
    newAlertCountsByProject.set(projectId, (newAlertCountsByProject.get(projectId) ?? 0) + 1);
  const lastIidsByProject = await allocateIids(uow, 'alert', newAlertCountsByProject);
  const nextIidsByProject = new Map(
    [...lastIidsByProject].map(([projectId, iid]) => [projectId, iid - newAlertCountsByProject.get(projectId)! + 1]),
  );
  for (const pendingAlert of newAlerts) {
    pendingAlert.iid = nextIidsByProject.get(pendingAlert.projectId)!;
    nextIidsByProject.set(pendingAlert.projectId, pendingAlert.iid + 1);
  }
  const environmentIds = await loadEnvironmentIds(uow, newAlerts);
  const rows = await insertAlerts(
    uow,
    newAlerts.map((pendingAlert) => toAlertRow(uow, pendingAlert, environmentIds)),
  );
  const idsByProjectAndIid = new Map(rows.map(({ id, project_id, iid }) => [`${project_id} ${iid}`, id]));
  const notes: SystemNoteInput[] = [];
  for (const pendingAlert of newAlerts) {
    const id = idsByProjectAndIid.get(`${pendingAlert.projectId} ${pendingAlert.iid}`)!;
    pendingAlert.id = id;
    notes.push(...pendingAlert.notes.map((body) => ({ alertId: id, authorId, body })));
  }
  await insertSystemNotes(uow, notes);
}

/** Returns the ids of the environments that new alerts name, by `projectId name`. */
async function loadEnvironmentIds(
  uow: UnitOfWork,
  newAlerts: readonly PendingAlert[],
): Promise<ReadonlyMap<string, number>> {
  const keys = new Map<string, { projectId: number; name: string }>();
  for (const { projectId, parsedAlert } of newAlerts) {
    const name = parsedAlert?.environment ?? null;
    if (name !== null) keys.set(`${projectId} ${name}`, { projectId, name });
  }
  const rows = await loadEnvironmentsByName(uow, [...keys.values()]);
  return new Map(rows.map(({ id, project_id, name }) => [`${project_id} ${name}`, id]));
}

function toAlertRow(
  uow: UnitOfWork,
  pendingAlert: PendingAlert,
  environmentIds: ReadonlyMap<string, number>,
): NewAlert {
  const { now } = uow;
  const parsedAlert = pendingAlert.parsedAlert as ParsedAlert;
  const { title, description, service, monitoringTool } = parsedAlert;
  const foldNullable = (text: string | null) => (text === null ? null : foldCase(text));
  return {
    project_id: pendingAlert.projectId,
    iid: pendingAlert.iid,
    title,
    title_key: foldCase(title),
    description,
    description_key: foldNullable(description),
    service,
    service_key: foldNullable(service),
    monitoring_tool: monitoringTool,
    monitoring_tool_key: foldNullable(monitoringTool),
    hosts: JSON.stringify(parsedAlert.hosts),
    severity: parsedAlert.severity,
    // A later report of the same batch may have resolved the new alert.
    status: pendingAlert.endedAt === null ? 'triggered' : 'resolved',
    started_at: parsedAlert.startedAt ?? now,
    ended_at: pendingAlert.endedAt,
    event_count: pendingAlert.reportCount,
    fingerprint: parsedAlert.fingerprint,
    payload: parsedAlert.payload,
    runbook: parsedAlert.runbook,
    metric_query: parsedAlert.metricQuery,
    y_label: parsedAlert.yLabel,
    incident_markdown: parsedAlert.incidentMarkdown,
    environment_id: environmentIds.get(`${pendingAlert.projectId} ${parsedAlert.environment}`) ?? null,
    created_at: now,
    updated_at: now,
  };
}

/** Publishes `alerts-reported`; its subscribers create incidents and send mails if the project settings enable them. */
async function publishAlertsReported(uow: UnitOfWork, pendingAlerts: readonly PendingAlert[]): Promise<void> {
  if (pendingAlerts.length === 0) return;
  const toIds = (alerts: readonly PendingAlert[]) => alerts.map(({ id }) => id as number);
  await uow.publish('alerts-reported', {
    projectIds: [...new Set(pendingAlerts.map(({ projectId }) => projectId))],
    fired: toIds(pendingAlerts.filter(({ endedAt }) => endedAt === null)),
    resolved: toIds(pendingAlerts.filter(({ endedAt }) => endedAt !== null)),
  });
}

// The only code that changes the status of an existing alert (contract/monitoring.md "States", §4, §6).

/** Texts of the system notes on alerts. */
export const SYSTEM_NOTE_TEXTS = {
  logged: (source: string) => `logged an alert from **${source}**`,
  recovered: (source: string) => `logged a recovery alert from **${source}**`,
  status: (status: AlertStatus) => `changed the status to **${status[0]!.toUpperCase()}${status.slice(1)}**`,
  assigned: (username: string) => `assigned to @${username}`,
  unassigned: (username: string) => `unassigned @${username}`,
} as const;

interface StatusTransition {
  /** Id of the alert. */
  readonly id: number;
  readonly newStatus: AlertStatus;
  /** End time of an alert that becomes resolved; default: now. */
  readonly endedAt?: string | null | undefined;
  /** Bodies of the system notes to create, in this order. */
  readonly notes: readonly string[];
}

/** Sets the status of these alerts and creates the system notes, written by `authorId`. Each alert may occur once. */
export async function transitionAlerts(
  uow: UnitOfWork,
  authorId: number,
  transitions: readonly StatusTransition[],
): Promise<void> {
  const { now } = uow;
  await updateStatuses(
    uow,
    transitions.map(({ id, newStatus, endedAt }) => ({
      id,
      status: newStatus,
      ended_at: newStatus === 'resolved' ? (endedAt ?? now) : null,
      now,
    })),
  );
  await insertSystemNotes(
    uow,
    transitions.flatMap(({ id, notes }) => notes.map((body) => ({ alertId: id, authorId, body }))),
  );
}
