import { getAlertBotId } from '#authentication/users/alert-bot.ts';
import { foldCase } from '#database/name-keys.ts';
import { nextIids } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParsedAlert } from './parsed-alert.ts';
import { NOTES, transitionAlerts } from './status-transitions.ts';
import {
  incrementEventCounts,
  insertAlerts,
  insertSystemNotes,
  loadEnvironmentsByName,
  loadUnresolvedAlerts,
  type NewAlert,
  type SystemNoteInput,
} from './store.ts';

/** Alerts that a project received in one payload, in order. */
export interface AlertReport {
  readonly projectId: number;
  readonly alerts: readonly ParsedAlert[];
}

/** An alert as the response names it. */
export interface ReportedAlert {
  readonly iid: number;
  readonly title: string;
}

/** An alert that reports refer to: an unresolved alert, or a new one. */
interface PendingAlert {
  readonly projectId: number;
  readonly title: string;
  /** Null for a new alert. */
  id: number | null;
  iid: number;
  readonly parsedAlert: ParsedAlert | null;
  /** Number of reports of this alert in the batch. */
  events: number;
  /** Set by the report that resolves the alert. */
  endedAt: string | null;
  readonly notes: string[];
}

/**
 * Applies reports to the alerts of their projects (contract/monitoring.md §4 "Processing"). Returns, for each report, the alerts
 * that it created, was grouped into or resolved, each once. The reports are applied in order, in memory: the alerts are loaded
 * first and written at the end, so the number of statements does not depend on the number of alerts.
 */
export async function processReports(uow: UnitOfWork, reports: readonly AlertReport[]): Promise<ReportedAlert[][]> {
  const unresolved = await loadUnresolvedByFingerprint(uow, reports);
  const all = new Set<PendingAlert>(unresolved.values());
  const alertsByReport = reports.map(({ projectId, alerts }) => {
    const reportAlerts = new Set<PendingAlert>();
    for (const parsedAlert of alerts) {
      const alert = applyReport(unresolved, projectId, parsedAlert, uow.now);
      if (alert === null) continue;
      all.add(alert);
      reportAlerts.add(alert);
    }
    return reportAlerts;
  });
  await writeAlerts(uow, [...all]);
  return alertsByReport.map((reportAlerts) => [...reportAlerts].map(({ iid, title }) => ({ iid, title })));
}

const keyOf = (projectId: number, fingerprint: string) => `${projectId} ${fingerprint}`;

type ByFingerprint = Map<string, PendingAlert>;

async function loadUnresolvedByFingerprint(uow: UnitOfWork, reports: readonly AlertReport[]): Promise<ByFingerprint> {
  const keys = new Map<string, { projectId: number; fingerprint: string }>();
  for (const { projectId, alerts } of reports) {
    for (const { fingerprint } of alerts) {
      if (fingerprint !== null) keys.set(keyOf(projectId, fingerprint), { projectId, fingerprint });
    }
  }
  const rows = await loadUnresolvedAlerts(uow, [...keys.values()]);
  return new Map(
    rows.map(({ id, project_id: projectId, iid, title, fingerprint }) => [
      keyOf(projectId, fingerprint as string),
      { projectId, title, id, iid, parsedAlert: null, events: 0, endedAt: null, notes: [] },
    ]),
  );
}

/** Applies one report. Returns its alert, or null if the report resolves no alert and is dropped. */
function applyReport(
  unresolved: ByFingerprint,
  projectId: number,
  parsedAlert: ParsedAlert,
  now: string,
): PendingAlert | null {
  const key = parsedAlert.fingerprint === null ? null : keyOf(projectId, parsedAlert.fingerprint);
  const pendingAlert = key === null ? undefined : unresolved.get(key);
  if (parsedAlert.isResolving) {
    if (pendingAlert === undefined) return null;
    unresolved.delete(key as string);
    pendingAlert.endedAt = parsedAlert.endedAt ?? now;
    pendingAlert.notes.push(NOTES.recovered(parsedAlert.source), NOTES.status('resolved'));
    return pendingAlert;
  }
  if (pendingAlert !== undefined) {
    pendingAlert.events++;
    return pendingAlert;
  }
  const newAlert: PendingAlert = {
    projectId,
    title: parsedAlert.title,
    id: null,
    iid: 0,
    parsedAlert,
    events: 1,
    endedAt: null,
    notes: [NOTES.logged(parsedAlert.source)],
  };
  if (key !== null) unresolved.set(key, newAlert);
  return newAlert;
}

async function writeAlerts(uow: UnitOfWork, all: readonly PendingAlert[]): Promise<void> {
  const existingAlerts = all.flatMap((pending) => (pending.id === null ? [] : [{ ...pending, id: pending.id }]));
  const authorId = await getAlertBotId(uow);
  await incrementEventCounts(
    uow,
    existingAlerts.flatMap(({ id, events }) => (events === 0 ? [] : [{ id, count: events }])),
  );
  // Resolves alerts before new ones with the same fingerprints are inserted.
  await transitionAlerts(
    uow,
    authorId,
    existingAlerts.flatMap(({ id, endedAt, notes }) =>
      endedAt === null ? [] : [{ id, to: 'resolved', endedAt, notes }],
    ),
  );
  await insertNewAlerts(
    uow,
    authorId,
    all.filter(({ id }) => id === null),
  );
  await publishReported(uow, all);
}

async function insertNewAlerts(uow: UnitOfWork, authorId: number, newAlerts: readonly PendingAlert[]): Promise<void> {
  if (newAlerts.length === 0) return;
  const perProject = new Map<number, number>();
  for (const { projectId } of newAlerts) perProject.set(projectId, (perProject.get(projectId) ?? 0) + 1);
  const last = await nextIids(uow, 'alert', perProject);
  const next = new Map([...last].map(([projectId, iid]) => [projectId, iid - perProject.get(projectId)! + 1]));
  for (const pending of newAlerts) {
    pending.iid = next.get(pending.projectId)!;
    next.set(pending.projectId, pending.iid + 1);
  }
  const environments = await loadEnvironments(uow, newAlerts);
  const rows = await insertAlerts(
    uow,
    newAlerts.map((pending) => toAlertRow(uow, pending, environments)),
  );
  const ids = new Map(rows.map(({ id, project_id, iid }) => [`${project_id} ${iid}`, id]));
  const notes: SystemNoteInput[] = [];
  for (const pending of newAlerts) {
    const id = ids.get(`${pending.projectId} ${pending.iid}`)!;
    pending.id = id;
    notes.push(...pending.notes.map((body) => ({ alertId: id, authorId, body })));
  }
  await insertSystemNotes(uow, notes);
}

/** Loads the environments that new alerts name, by project and name. */
async function loadEnvironments(
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

function toAlertRow(uow: UnitOfWork, pending: PendingAlert, environments: ReadonlyMap<string, number>): NewAlert {
  const { now } = uow;
  const parsed = pending.parsedAlert as ParsedAlert;
  const { title, description, service, monitoringTool } = parsed;
  const foldNullable = (text: string | null) => (text === null ? null : foldCase(text));
  return {
    project_id: pending.projectId,
    iid: pending.iid,
    title,
    title_key: foldCase(title),
    description,
    description_key: foldNullable(description),
    service,
    service_key: foldNullable(service),
    monitoring_tool: monitoringTool,
    monitoring_tool_key: foldNullable(monitoringTool),
    hosts: JSON.stringify(parsed.hosts),
    severity: parsed.severity,
    status: pending.endedAt === null ? 'triggered' : 'resolved',
    started_at: parsed.startedAt ?? now,
    ended_at: pending.endedAt,
    event_count: pending.events,
    fingerprint: parsed.fingerprint,
    payload: parsed.payload,
    runbook: parsed.runbook,
    metric_query: parsed.metricQuery,
    y_label: parsed.yLabel,
    incident_markdown: parsed.incidentMarkdown,
    environment_id: environments.get(`${pending.projectId} ${parsed.environment}`) ?? null,
    created_at: now,
    updated_at: now,
  };
}

/** Publishes the event that creates incidents and mails, where project settings enable them. */
async function publishReported(uow: UnitOfWork, all: readonly PendingAlert[]): Promise<void> {
  if (all.length === 0) return;
  const ids = (alerts: readonly PendingAlert[]) => alerts.map(({ id }) => id as number);
  await uow.publish('alerts-reported', {
    projectIds: [...new Set(all.map(({ projectId }) => projectId))],
    fired: ids(all.filter(({ endedAt }) => endedAt === null)),
    resolved: ids(all.filter(({ endedAt }) => endedAt !== null)),
  });
}
