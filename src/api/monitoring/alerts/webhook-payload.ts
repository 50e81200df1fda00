import type { AlertSeverity } from '#database/schema.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { computeSha1 } from './fingerprint.ts';
import { getEnvironmentName, readMappedEndTime, readMappedFingerprint, toHostsOrNull } from './generic-payload.ts';
import {
  type AlertSender,
  MAX_LENGTHS,
  type ParsedAlert,
  readMappedField,
  toTextOrNull,
  truncateWithEllipsis,
} from './parsed-alert.ts';
import { parseTimestamp } from './timestamps.ts';

// Parses the webhook format of Prometheus Alertmanager (contract/monitoring.md §3).

/** Attributes that every payload in the webhook format has. */
const REQUIRED_ATTRIBUTES = [
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

/** Words of monitoring tools for each severity, in lower case. */
const SEVERITY_WORDS: Readonly<Record<Exclude<AlertSeverity, 'unknown'>, readonly string[]>> = {
  critical: ['critical', 's1', 'p1', 'emergency', 'fatal'],
  high: ['high', 's2', 'p2', 'major', 'page'],
  medium: ['medium', 's3', 'p3', 'error', 'alert'],
  low: ['low', 's4', 'p4', 'warn', 'warning'],
  info: ['info', 's5', 'p5', 'debug', 'information', 'notice'],
};
const SEVERITIES_BY_WORD = new Map(
  Object.entries(SEVERITY_WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity as AlertSeverity])),
);

/** Returns the elements of a payload in the webhook format, or null if it is in the generic format. */
export function getWebhookElements(payload: JsonObject): readonly unknown[] | null {
  if (payload.version !== '4' || !REQUIRED_ATTRIBUTES.every((name) => Object.hasOwn(payload, name))) return null;
  return Array.isArray(payload.alerts) ? payload.alerts : null;
}

/**
 * Parses one element. Returns null if it has no title or no start time. An element without a status resolves its alert if it
 * ended before `now`.
 */
export async function parseWebhookElement(
  element: unknown,
  sender: AlertSender,
  now: Date,
): Promise<ParsedAlert | null> {
  if (!isJsonObject(element)) return null;
  const [annotations, labels] = [toObject(element.annotations), toObject(element.labels)];
  const annotatedTitle =
    toTextOrNull(annotations.title) ?? toTextOrNull(annotations.summary) ?? toTextOrNull(labels.alertname);
  const title = readMappedField(sender, element, 'title', toTextOrNull) ?? annotatedTitle;
  const startsAt = toTextOrNull(element.startsAt);
  const mappedStart = readMappedField(sender, element, 'start_time', parseTimestamp);
  if (title === null || (startsAt === null && mappedStart === null)) return null;
  const description =
    readMappedField(sender, element, 'description', toTextOrNull) ?? toTextOrNull(annotations.description);
  const service = readMappedField(sender, element, 'service', toTextOrNull);
  const metricQuery = parseMetricQuery(element.generatorURL);
  return {
    title: truncateWithEllipsis(title, MAX_LENGTHS.title),
    description: description === null ? null : truncateWithEllipsis(description, MAX_LENGTHS.description),
    service: service === null ? null : truncateWithEllipsis(service, MAX_LENGTHS.service),
    monitoringTool: truncateWithEllipsis(
      readMappedField(sender, element, 'monitoring_tool', toTextOrNull) ?? MONITORING_TOOL,
      MAX_LENGTHS.monitoringTool,
    ),
    hosts: readMappedField(sender, element, 'hosts', toHostsOrNull) ?? [],
    severity: readMappedField(sender, element, 'severity', toSeverity) ?? toSeverity(labels.severity) ?? 'critical',
    startedAt: mappedStart ?? parseTimestamp(startsAt),
    ...readEnding(element, sender, now),
    environment:
      readMappedField(sender, element, 'service_environment_name', toTextOrNull) ?? getEnvironmentName(labels),
    fingerprint:
      (await readMappedFingerprint(element, sender)) ?? computeSha1(`${startsAt ?? ''}/${title}/${metricQuery ?? ''}`),
    runbook: toTextOrNull(annotations.runbook),
    metricQuery,
    yLabel: toTextOrNull(annotations.service_y_label) ?? toTextOrNull(annotations.gitlab_y_label) ?? annotatedTitle,
    incidentMarkdown:
      toTextOrNull(annotations.service_incident_markdown) ?? toTextOrNull(annotations.gitlab_incident_markdown),
    payload: JSON.stringify(element),
    source: toTextOrNull(sender.name) ?? MONITORING_TOOL,
  };
}

const EMPTY_OBJECT: JsonObject = Object.freeze({});

/** Returns the value if it is an object, else an empty object. */
function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : EMPTY_OBJECT;
}

function toSeverity(value: unknown): AlertSeverity | null {
  return SEVERITIES_BY_WORD.get(toTextOrNull(value)?.toLowerCase() ?? '') ?? null;
}

/** Alertmanager's zero time, which means "no time". */
const ZERO_TIME = /^0001-01-01T/;

/** Returns whether the element resolves its alert, and the end time. */
function readEnding(element: JsonObject, sender: AlertSender, now: Date): Pick<ParsedAlert, 'isResolving' | 'endedAt'> {
  const mappedEnd = readMappedEndTime(element, sender);
  if (mappedEnd !== null) return { isResolving: true, endedAt: mappedEnd };
  const { status, endsAt } = element;
  const endedAt = typeof endsAt === 'string' && !ZERO_TIME.test(endsAt.trim()) ? parseTimestamp(endsAt) : null;
  if (status !== undefined && status !== null) return { isResolving: status === 'resolved', endedAt };
  return { isResolving: endedAt !== null && endedAt <= now.toISOString(), endedAt };
}

/** Returns the metric query in a graph URL (its parameter `g0.expr`), or null if there is none. */
function parseMetricQuery(url: unknown): string | null {
  const text = toTextOrNull(url);
  const queryIndex = text?.indexOf('?') ?? -1;
  if (text === null || queryIndex === -1) return null;
  const [query] = text.slice(queryIndex + 1).split('#', 1);
  return toTextOrNull(new URLSearchParams(query).get('g0.expr'));
}
