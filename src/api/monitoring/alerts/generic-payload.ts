import type { AlertSeverity } from '#database/tables/alerts.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { fingerprintOf, fingerprintOfPayload } from './fingerprint.ts';
import { type AlertSource, LONGEST, mapped, type ParsedAlert } from './parsed-alert.ts';
import { cut, hostsOf, textOf } from './payload-values.ts';
import { readTime, readTimeOrMilliseconds } from './timestamps.ts';

/** The generic payload (contract/monitoring.md §2). */

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

interface Reading {
  /** JSON, as it came. */
  readonly text: string;
  /** What bears no fingerprint gets one of what it says. */
  readonly fingerprints: boolean;
}

/** The one alert of a payload. */
export async function readGeneric(
  payload: JsonObject,
  sender: AlertSource,
  { text, fingerprints }: Reading,
): Promise<ParsedAlert> {
  const found = (field: 'title' | 'description' | 'service' | 'monitoring_tool') =>
    mapped(sender, payload, field, textOf) ?? textOf(payload[field]);
  const shortened = (value: string | null, most: number) => (value === null ? null : cut(value, most));
  const monitoringTool = shortened(found('monitoring_tool'), LONGEST.monitoringTool);
  const endedAt = endOf(payload, sender) ?? readTimeOrMilliseconds(payload.end_time);
  const hosts = mapped(sender, payload, 'hosts', someHosts) ?? hostsOf(payload.hosts);
  return {
    title: cut(found('title') ?? DEFAULT_TITLE, LONGEST.title),
    description: shortened(found('description'), LONGEST.description),
    service: shortened(found('service'), LONGEST.service),
    monitoringTool,
    hosts,
    severity: mapped(sender, payload, 'severity', severityOf) ?? severityOf(payload.severity) ?? 'critical',
    startedAt: mapped(sender, payload, 'start_time', readTime) ?? readTime(payload.start_time),
    resolving: endedAt !== null,
    endedAt,
    environment: mapped(sender, payload, 'service_environment_name', textOf) ?? environmentOf(payload),
    fingerprint: await fingerprint(payload, sender, fingerprints),
    runbook: textOf(payload.runbook),
    metricQuery: null,
    yLabel: null,
    incidentMarkdown: null,
    payload: text,
    source: monitoringTool ?? textOf(sender.name) ?? DEFAULT_SOURCE,
  };
}

function severityOf(value: unknown): AlertSeverity | null {
  const word = textOf(value)?.toLowerCase();
  return word !== undefined && SEVERITIES.includes(word) ? (word as AlertSeverity) : null;
}

async function fingerprint(payload: JsonObject, sender: AlertSource, ofPayload: boolean): Promise<string | null> {
  const own = mappedFingerprint(payload, sender) ?? (await fingerprintOf(payload.fingerprint));
  return own ?? (ofPayload ? fingerprintOfPayload(payload) : null);
}

/** Hosts that a mapping leads to; null: it leads to none. */
export function someHosts(value: unknown): string[] | null {
  const hosts = hostsOf(value);
  return hosts.length === 0 ? null : hosts;
}

/** What the integration's mapping finds, in both formats. */
export function mappedFingerprint(payload: JsonObject, sender: AlertSource): Promise<string | null> | null {
  return mapped(sender, payload, 'fingerprint', fingerprintOf);
}

/** When a mapped end says that it was: what is no time by its type may be Unix milliseconds as well. */
export function endOf(payload: JsonObject, sender: AlertSource): string | null {
  return mapped(sender, payload, 'end_time', (value, type) =>
    type === 'datetime' ? readTime(value) : readTimeOrMilliseconds(value),
  );
}

/** The environment that labels or a payload name, under either name. */
export function environmentOf(names: unknown): string | null {
  if (!isJsonObject(names)) return null;
  return textOf(names.service_environment_name) ?? textOf(names.gitlab_environment_name);
}
