import { getAlertBotId } from '#authentication/users/alert-bot.ts';
import { foldCase } from '#database/name-keys.ts';
import { nextIids } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParsedAlert } from './parsed-alert.ts';
import { NOTES, stepAlerts } from './status-transitions.ts';
import {
  type AlertContent,
  addEvents,
  environmentsNamed,
  insertAlerts,
  type NewAlert,
  saySystemNotes,
  unresolvedAlerts,
} from './store.ts';

/** What came to a project together, in its order. */
export interface AlertReport {
  readonly projectId: number;
  readonly alerts: readonly ParsedAlert[];
}

/** As the answer names it. */
export interface Reported {
  readonly iid: number;
  readonly title: string;
}

/** An alert that reports are about: one that is unresolved, or a new one. */
interface Known {
  readonly projectId: number;
  readonly title: string;
  /** Null: it is new. */
  id: number | null;
  iid: number;
  readonly parsed: ParsedAlert | null;
  /** How often it was reported here. */
  events: number;
  /** Set with the report that resolves it. */
  endedAt: string | null;
  readonly notes: string[];
}

/**
 * Makes of reports what they say of their projects' alerts (contract/monitoring.md §4 "Processing"), and tells of each report
 * which alerts it has made, was grouped into or has resolved, each once. One after another, as if each came alone, and as many
 * statements for a hundred as for one: what they are about is read before, and what has become of it is written at the end.
 */
export async function processReports(uow: UnitOfWork, reports: readonly AlertReport[]): Promise<Reported[][]> {
  const unresolved = await readUnresolved(uow, reports);
  const all = new Set<Known>(unresolved.values());
  const touched = reports.map(({ projectId, alerts }) => {
    const here = new Set<Known>();
    for (const parsed of alerts) {
      const known = take(unresolved, projectId, parsed, uow.now);
      if (known === null) continue;
      all.add(known);
      here.add(known);
    }
    return here;
  });
  await write(uow, [...all]);
  return touched.map((here) => [...here].map(({ iid, title }) => ({ iid, title })));
}

const keyOf = (projectId: number, fingerprint: string) => `${projectId} ${fingerprint}`;

type ByFingerprint = Map<string, Known>;

async function readUnresolved(uow: UnitOfWork, reports: readonly AlertReport[]): Promise<ByFingerprint> {
  const wanted = new Map<string, { projectId: number; fingerprint: string }>();
  for (const { projectId, alerts } of reports) {
    for (const { fingerprint } of alerts) {
      if (fingerprint !== null) wanted.set(keyOf(projectId, fingerprint), { projectId, fingerprint });
    }
  }
  const rows = await unresolvedAlerts(uow, [...wanted.values()]);
  return new Map(
    rows.map(({ id, project_id: projectId, iid, title, fingerprint }) => [
      keyOf(projectId, fingerprint as string),
      { projectId, title, id, iid, parsed: null, events: 0, endedAt: null, notes: [] },
    ]),
  );
}

/** The alert that a report is about from now on; null: it is about none, and dropped. */
function take(unresolved: ByFingerprint, projectId: number, parsed: ParsedAlert, now: string): Known | null {
  const key = parsed.fingerprint === null ? null : keyOf(projectId, parsed.fingerprint);
  const known = key === null ? undefined : unresolved.get(key);
  if (parsed.resolving) {
    if (known === undefined) return null;
    unresolved.delete(key as string);
    known.endedAt = parsed.endedAt ?? now;
    known.notes.push(NOTES.recovered(parsed.source), NOTES.status('resolved'));
    return known;
  }
  if (known !== undefined) {
    known.events++;
    return known;
  }
  const made: Known = {
    projectId,
    title: parsed.title,
    id: null,
    iid: 0,
    parsed,
    events: 1,
    endedAt: null,
    notes: [NOTES.logged(parsed.source)],
  };
  if (key !== null) unresolved.set(key, made);
  return made;
}

async function write(uow: UnitOfWork, all: readonly Known[]): Promise<void> {
  const there = all.flatMap((known) => (known.id === null ? [] : [{ ...known, id: known.id }]));
  const authorId = await getAlertBotId(uow);
  await addEvents(
    uow,
    there.flatMap(({ id, events }) => (events === 0 ? [] : [{ id, count: events }])),
  );
  // Before others come that have their fingerprints.
  await stepAlerts(
    uow,
    authorId,
    there.flatMap(({ id, endedAt, notes }) => (endedAt === null ? [] : [{ id, to: 'resolved', endedAt, notes }])),
  );
  await insertNew(
    uow,
    authorId,
    all.filter(({ id }) => id === null),
  );
  await tell(uow, all);
}

async function insertNew(uow: UnitOfWork, authorId: number, made: readonly Known[]): Promise<void> {
  if (made.length === 0) return;
  const perProject = new Map<number, number>();
  for (const { projectId } of made) perProject.set(projectId, (perProject.get(projectId) ?? 0) + 1);
  const last = await nextIids(uow, 'alert', perProject);
  const next = new Map([...last].map(([projectId, iid]) => [projectId, iid - perProject.get(projectId)! + 1]));
  for (const known of made) {
    known.iid = next.get(known.projectId)!;
    next.set(known.projectId, known.iid + 1);
  }
  const environments = await readEnvironments(uow, made);
  const rows = await insertAlerts(
    uow,
    made.map((known) => rowOf(uow, known, environments)),
  );
  const ids = new Map(rows.map(({ id, project_id, iid }) => [`${project_id} ${iid}`, id]));
  const notes: AlertContent[] = [];
  for (const known of made) {
    const id = ids.get(`${known.projectId} ${known.iid}`)!;
    known.id = id;
    notes.push(...known.notes.map((body) => ({ alertId: id, authorId, body })));
  }
  await saySystemNotes(uow, notes);
}

/** The environments that new alerts name, by project and name. */
async function readEnvironments(uow: UnitOfWork, made: readonly Known[]): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map<string, { projectId: number; name: string }>();
  for (const { projectId, parsed } of made) {
    const name = parsed?.environment ?? null;
    if (name !== null) wanted.set(`${projectId} ${name}`, { projectId, name });
  }
  const rows = await environmentsNamed(uow, [...wanted.values()]);
  return new Map(rows.map(({ id, project_id, name }) => [`${project_id} ${name}`, id]));
}

function rowOf(uow: UnitOfWork, known: Known, environments: ReadonlyMap<string, number>): NewAlert {
  const { now } = uow;
  const parsed = known.parsed as ParsedAlert;
  const { title, description, service, monitoringTool } = parsed;
  const folded = (text: string | null) => (text === null ? null : foldCase(text));
  return {
    project_id: known.projectId,
    iid: known.iid,
    title,
    title_key: foldCase(title),
    description,
    description_key: folded(description),
    service,
    service_key: folded(service),
    monitoring_tool: monitoringTool,
    monitoring_tool_key: folded(monitoringTool),
    hosts: JSON.stringify(parsed.hosts),
    severity: parsed.severity,
    status: known.endedAt === null ? 'triggered' : 'resolved',
    started_at: parsed.startedAt ?? now,
    ended_at: known.endedAt,
    event_count: known.events,
    fingerprint: parsed.fingerprint,
    payload: parsed.payload,
    runbook: parsed.runbook,
    metric_query: parsed.metricQuery,
    y_label: parsed.yLabel,
    incident_markdown: parsed.incidentMarkdown,
    environment_id: environments.get(`${known.projectId} ${parsed.environment}`) ?? null,
    created_at: now,
    updated_at: now,
  };
}

/** Incidents and mails follow, where projects want them. */
async function tell(uow: UnitOfWork, all: readonly Known[]): Promise<void> {
  if (all.length === 0) return;
  const ids = (some: readonly Known[]) => some.map(({ id }) => id as number);
  await uow.publish('alerts-reported', {
    projectIds: [...new Set(all.map(({ projectId }) => projectId))],
    fired: ids(all.filter(({ endedAt }) => endedAt === null)),
    resolved: ids(all.filter(({ endedAt }) => endedAt !== null)),
  });
}
