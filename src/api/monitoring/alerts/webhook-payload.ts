import type { AlertSeverity } from '#database/tables/alerts.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { sha1 } from './fingerprint.ts';
import { endOf, environmentOf, hostsOrNull, mappedFingerprint } from './generic-payload.ts';
import { type AlertSource, MAX_LENGTHS, type ParsedAlert, readMappedField } from './parsed-alert.ts';
import { textOf, truncateWithEllipsis } from './payload-values.ts';
import { readTime } from './timestamps.ts';

/** The webhook format of metrics alerting (contract/monitoring.md §3). */

const ATTRIBUTES = [
  'version',
  'groupKey',
  'status',
  'receiver',
  'groupLabels',
  'commonLabels',
  'commonAnnotations',
  'externalURL',
  'alerts',
];

const MONITORING_TOOL = 'Prometheus';

const WORDS: Readonly<Record<Exclude<AlertSeverity, 'unknown'>, readonly string[]>> = {
  critical: ['critical', 's1', 'p1', 'emergency', 'fatal'],
  high: ['high', 's2', 'p2', 'major', 'page'],
  medium: ['medium', 's3', 'p3', 'error', 'alert'],
  low: ['low', 's4', 'p4', 'warn', 'warning'],
  info: ['info', 's5', 'p5', 'debug', 'information', 'notice'],
};
const SEVERITIES = new Map(
  Object.entries(WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity as AlertSeverity])),
);

/** Returns the elements of a payload in the webhook format, or null if it is in the generic format. */
export function webhookAlerts(payload: JsonObject): readonly unknown[] | null {
  if (payload.version !== '4' || !ATTRIBUTES.every((name) => Object.hasOwn(payload, name))) return null;
  return Array.isArray(payload.alerts) ? payload.alerts : null;
}

/** Returns the alert of one element, or null if it is unusable. Without a status, an element that ended before `now` is resolved. */
export async function readElement(element: unknown, sender: AlertSource, now: Date): Promise<ParsedAlert | null> {
  if (!isJsonObject(element)) return null;
  const [annotations, labels] = [membersOf(element.annotations), membersOf(element.labels)];
  const annotatedTitle = textOf(annotations.title) ?? textOf(annotations.summary) ?? textOf(labels.alertname);
  const title = readMappedField(sender, element, 'title', textOf) ?? annotatedTitle;
  const starts = textOf(element.startsAt);
  const mappedStart = readMappedField(sender, element, 'start_time', readTime);
  if (title === null || (starts === null && mappedStart === null)) return null;
  const description = readMappedField(sender, element, 'description', textOf) ?? textOf(annotations.description);
  const service = readMappedField(sender, element, 'service', textOf);
  const metricQuery = queryOf(element.generatorURL);
  return {
    title: truncateWithEllipsis(title, MAX_LENGTHS.title),
    description: description === null ? null : truncateWithEllipsis(description, MAX_LENGTHS.description),
    service: service === null ? null : truncateWithEllipsis(service, MAX_LENGTHS.service),
    monitoringTool: truncateWithEllipsis(
      readMappedField(sender, element, 'monitoring_tool', textOf) ?? MONITORING_TOOL,
      MAX_LENGTHS.monitoringTool,
    ),
    hosts: readMappedField(sender, element, 'hosts', hostsOrNull) ?? [],
    severity: readMappedField(sender, element, 'severity', severityOf) ?? severityOf(labels.severity) ?? 'critical',
    startedAt: mappedStart ?? readTime(starts),
    ...readEnding(element, sender, now),
    environment: readMappedField(sender, element, 'service_environment_name', textOf) ?? environmentOf(labels),
    fingerprint: (await mappedFingerprint(element, sender)) ?? sha1(`${starts ?? ''}/${title}/${metricQuery ?? ''}`),
    runbook: textOf(annotations.runbook),
    metricQuery,
    yLabel: textOf(annotations.service_y_label) ?? textOf(annotations.gitlab_y_label) ?? annotatedTitle,
    incidentMarkdown: textOf(annotations.service_incident_markdown) ?? textOf(annotations.gitlab_incident_markdown),
    payload: JSON.stringify(element),
    source: textOf(sender.name) ?? MONITORING_TOOL,
  };
}

const EMPTY_OBJECT: JsonObject = Object.freeze({});

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : EMPTY_OBJECT;
}

function severityOf(value: unknown): AlertSeverity | null {
  return SEVERITIES.get(textOf(value)?.toLowerCase() ?? '') ?? null;
}

/** Alertmanager's zero time, which means "no time". */
const ZERO = /^0001-01-01T/;

/** Returns whether the element resolves an alert, and the end time. */
function readEnding(element: JsonObject, sender: AlertSource, now: Date): Pick<ParsedAlert, 'isResolving' | 'endedAt'> {
  const mappedEnd = endOf(element, sender);
  if (mappedEnd !== null) return { isResolving: true, endedAt: mappedEnd };
  const { status, endsAt } = element;
  const endedAt = typeof endsAt === 'string' && !ZERO.test(endsAt.trim()) ? readTime(endsAt) : null;
  if (status !== undefined && status !== null) return { isResolving: status === 'resolved', endedAt };
  return { isResolving: endedAt !== null && endedAt <= now.toISOString(), endedAt };
}

/** Returns the form-encoded query of a graph URL. */
function queryOf(url: unknown): string | null {
  const text = textOf(url);
  const queryStart = text?.indexOf('?') ?? -1;
  if (text === null || queryStart === -1) return null;
  const [query] = text.slice(queryStart + 1).split('#', 1);
  return textOf(new URLSearchParams(query).get('g0.expr'));
}
