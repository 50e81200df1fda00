import type { AlertSeverity } from '#database/schema.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { computeFingerprint, computePayloadFingerprint } from './fingerprint.ts';
import {
  type AlertSender,
  MAX_LENGTHS,
  type ParsedAlert,
  readMappedField,
  toHosts,
  toTextOrNull,
  truncateWithEllipsis,
} from './parsed-alert.ts';
import { parseTimestamp, parseTimestampOrMilliseconds } from './timestamps.ts';

// Parses the generic format of payloads (contract/monitoring.md §2).

const DEFAULT_TITLE = 'New: Alert';
const DEFAULT_SOURCE = 'Generic Alert Endpoint';

const SEVERITIES: readonly string[] = [
  'critical',
  'high',
  'medium',
  'low',
  'info',
  'unknown',
] satisfies AlertSeverity[];

interface GenericPayloadOptions {
  /** The payload as JSON text. */
  readonly json: string;
  /** Whether to compute a fingerprint from the payload if it contains none. */
  readonly computesFingerprint: boolean;
}

/** Returns the single alert of a generic payload. */
export async function parseGenericPayload(
  payload: JsonObject,
  sender: AlertSender,
  { json, computesFingerprint }: GenericPayloadOptions,
): Promise<ParsedAlert> {
  const readText = (field: 'title' | 'description' | 'service' | 'monitoring_tool') =>
    readMappedField(sender, payload, field, toTextOrNull) ?? toTextOrNull(payload[field]);
  const truncate = (value: string | null, maxCharacters: number) =>
    value === null ? null : truncateWithEllipsis(value, maxCharacters);
  const monitoringTool = truncate(readText('monitoring_tool'), MAX_LENGTHS.monitoringTool);
  const endedAt = readMappedEndTime(payload, sender) ?? parseTimestampOrMilliseconds(payload.end_time);
  const hosts = readMappedField(sender, payload, 'hosts', toHostsOrNull) ?? toHosts(payload.hosts);
  return {
    title: truncateWithEllipsis(readText('title') ?? DEFAULT_TITLE, MAX_LENGTHS.title),
    description: truncate(readText('description'), MAX_LENGTHS.description),
    service: truncate(readText('service'), MAX_LENGTHS.service),
    monitoringTool,
    hosts,
    severity: readMappedField(sender, payload, 'severity', toSeverity) ?? toSeverity(payload.severity) ?? 'critical',
    startedAt: readMappedField(sender, payload, 'start_time', parseTimestamp) ?? parseTimestamp(payload.start_time),
    isResolving: endedAt !== null,
    endedAt,
    environment:
      readMappedField(sender, payload, 'service_environment_name', toTextOrNull) ?? getEnvironmentName(payload),
    fingerprint: await getFingerprint(payload, sender, computesFingerprint),
    runbook: toTextOrNull(payload.runbook),
    metricQuery: null,
    yLabel: null,
    incidentMarkdown: null,
    payload: json,
    source: monitoringTool ?? toTextOrNull(sender.name) ?? DEFAULT_SOURCE,
  };
}

/** Returns the severity, or null if the value is not the name of one. */
function toSeverity(value: unknown): AlertSeverity | null {
  const severityText = toTextOrNull(value)?.toLowerCase();
  return severityText !== undefined && SEVERITIES.includes(severityText) ? (severityText as AlertSeverity) : null;
}

/** Returns the fingerprint in the payload. If there is none, returns a hash of the payload, or null if that is disabled. */
async function getFingerprint(
  payload: JsonObject,
  sender: AlertSender,
  computesFingerprint: boolean,
): Promise<string | null> {
  const explicitFingerprint = readMappedFingerprint(payload, sender) ?? (await computeFingerprint(payload.fingerprint));
  return explicitFingerprint ?? (computesFingerprint ? computePayloadFingerprint(payload) : null);
}

/** Returns the hosts that a mapping finds, or null if there are none. */
export function toHostsOrNull(value: unknown): string[] | null {
  const hosts = toHosts(value);
  return hosts.length === 0 ? null : hosts;
}

/** Returns the fingerprint that the integration's mapping finds; used for both formats. */
export function readMappedFingerprint(payload: JsonObject, sender: AlertSender): Promise<string | null> | null {
  return readMappedField(sender, payload, 'fingerprint', computeFingerprint);
}

/** Returns the mapped end time. If the mapped type is not `datetime`, Unix milliseconds are accepted too. */
export function readMappedEndTime(payload: JsonObject, sender: AlertSender): string | null {
  return readMappedField(sender, payload, 'end_time', (value, type) =>
    type === 'datetime' ? parseTimestamp(value) : parseTimestampOrMilliseconds(value),
  );
}

/** Returns the environment name in a payload or in labels, under either of its two keys; null if there is none. */
export function getEnvironmentName(members: unknown): string | null {
  if (!isJsonObject(members)) return null;
  return toTextOrNull(members.service_environment_name) ?? toTextOrNull(members.gitlab_environment_name);
}
