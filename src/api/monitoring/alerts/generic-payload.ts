import type { AlertSeverity } from '#database/tables/alerts.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { fingerprintOf, fingerprintOfPayload } from './fingerprint.ts';
import { type AlertSource, MAX_LENGTHS, type ParsedAlert, readMappedField } from './parsed-alert.ts';
import { hostsOf, textOf, truncateWithEllipsis } from './payload-values.ts';
import { readTime, readTimeOrMilliseconds } from './timestamps.ts';

/** Parses the generic format of payloads (contract/monitoring.md §2). */

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
export async function readGeneric(
  payload: JsonObject,
  sender: AlertSource,
  { json, computesFingerprint }: GenericPayloadOptions,
): Promise<ParsedAlert> {
  const readText = (field: 'title' | 'description' | 'service' | 'monitoring_tool') =>
    readMappedField(sender, payload, field, textOf) ?? textOf(payload[field]);
  const truncate = (value: string | null, maxCharacters: number) =>
    value === null ? null : truncateWithEllipsis(value, maxCharacters);
  const monitoringTool = truncate(readText('monitoring_tool'), MAX_LENGTHS.monitoringTool);
  const endedAt = endOf(payload, sender) ?? readTimeOrMilliseconds(payload.end_time);
  const hosts = readMappedField(sender, payload, 'hosts', hostsOrNull) ?? hostsOf(payload.hosts);
  return {
    title: truncateWithEllipsis(readText('title') ?? DEFAULT_TITLE, MAX_LENGTHS.title),
    description: truncate(readText('description'), MAX_LENGTHS.description),
    service: truncate(readText('service'), MAX_LENGTHS.service),
    monitoringTool,
    hosts,
    severity: readMappedField(sender, payload, 'severity', toSeverity) ?? toSeverity(payload.severity) ?? 'critical',
    startedAt: readMappedField(sender, payload, 'start_time', readTime) ?? readTime(payload.start_time),
    isResolving: endedAt !== null,
    endedAt,
    environment: readMappedField(sender, payload, 'service_environment_name', textOf) ?? environmentOf(payload),
    fingerprint: await getFingerprint(payload, sender, computesFingerprint),
    runbook: textOf(payload.runbook),
    metricQuery: null,
    yLabel: null,
    incidentMarkdown: null,
    payload: json,
    source: monitoringTool ?? textOf(sender.name) ?? DEFAULT_SOURCE,
  };
}

/** Returns the severity, or null if the value is not the name of one. */
function toSeverity(value: unknown): AlertSeverity | null {
  const severityText = textOf(value)?.toLowerCase();
  return severityText !== undefined && SEVERITIES.includes(severityText) ? (severityText as AlertSeverity) : null;
}

/** Returns the fingerprint in the payload. If there is none, returns a hash of the payload, or null if that is disabled. */
async function getFingerprint(
  payload: JsonObject,
  sender: AlertSource,
  computesFingerprint: boolean,
): Promise<string | null> {
  const explicitFingerprint = mappedFingerprint(payload, sender) ?? (await fingerprintOf(payload.fingerprint));
  return explicitFingerprint ?? (computesFingerprint ? fingerprintOfPayload(payload) : null);
}

/** Returns the hosts that a mapping finds, or null if there are none. */
export function hostsOrNull(value: unknown): string[] | null {
  const hosts = hostsOf(value);
  return hosts.length === 0 ? null : hosts;
}

/** Returns the fingerprint that the integration's mapping finds; used for both formats. */
export function mappedFingerprint(payload: JsonObject, sender: AlertSource): Promise<string | null> | null {
  return readMappedField(sender, payload, 'fingerprint', fingerprintOf);
}

/** Returns the mapped end time. If the mapped type is not `datetime`, Unix milliseconds are accepted too. */
export function endOf(payload: JsonObject, sender: AlertSource): string | null {
  return readMappedField(sender, payload, 'end_time', (value, type) =>
    type === 'datetime' ? readTime(value) : readTimeOrMilliseconds(value),
  );
}

/** Returns the environment name in a payload or in labels, under either of its two keys; null if there is none. */
export function environmentOf(members: unknown): string | null {
  if (!isJsonObject(members)) return null;
  return textOf(members.service_environment_name) ?? textOf(members.gitlab_environment_name);
}
