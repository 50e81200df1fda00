import type { AlertSeverity, IssueSeverity } from '#database/schema.ts';
import { MONTHS } from '#runtime/clock.ts';
import { truncateToBytes } from '#text/trim.ts';

/** Builds the title and description of an incident from its alert (contract/monitoring.md §7). Pure. */

export interface IncidentAlert {
  readonly title: string;
  readonly description: string | null;
  readonly severity: AlertSeverity;
  readonly started_at: string;
  readonly metric_query: string | null;
  readonly service: string | null;
  readonly monitoring_tool: string | null;
  /** JSON, a list of texts. */
  readonly hosts: string;
  readonly incident_markdown: string | null;
}

/** Maximum size of an issue description, in bytes. */
const MAX_DESCRIPTION_BYTES = 1024 * 1024;

/** Returns a function from the incident's iid to its title; for an unnamed alert the title is `New: Incident <iid>`. */
export const buildIncidentTitle = ({ title }: Pick<IncidentAlert, 'title'>) => {
  return (iid: number) => (title === 'New: Alert' ? `New: Incident ${iid}` : title);
};

/** Returns the severity of the incident. `info` becomes `unknown`, because issues have no `info`. */
export function toIncidentSeverity(severity: AlertSeverity): IssueSeverity {
  return severity === 'info' ? 'unknown' : severity;
}

/**
 * Returns the description of the incident. `url`: the alert's web URL; `template`: appended incident template of the
 * project.
 */
export function buildIncidentDescription(
  alert: IncidentAlert,
  { url, template }: { readonly url: string; readonly template: string | null },
): string {
  const parts = [formatSummary(alert, url), alert.incident_markdown, template].filter(
    (part) => (part ?? '').trim() !== '',
  );
  return truncateToBytes(parts.join('\n\n---\n\n'), MAX_DESCRIPTION_BYTES);
}

function formatSummary(alert: IncidentAlert, url: string): string {
  const hosts = (JSON.parse(alert.hosts) as string[]).join(' ');
  const formatIfPresent = (name: string, value: string | null) => (value ? [`**${name}:** ${value}`] : []);
  return [
    `**Start time:** ${formatTimestamp(alert.started_at)}`,
    `**Severity:** ${alert.severity}`,
    ...formatIfPresent('full_query', alert.metric_query && `\`${alert.metric_query}\``),
    ...formatIfPresent('Service', alert.service),
    ...formatIfPresent('Monitoring tool', alert.monitoring_tool),
    ...formatIfPresent('Hosts', hosts),
    ...formatIfPresent('Description', alert.description),
    `**Alert:** ${url}`,
  ].join('  \n');
}

/** Formats a stored timestamp as `13 February 2026, 10:20AM (UTC)`. */
function formatTimestamp(timestamp: string): string {
  const [, year, month, day, hour, minute] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(timestamp) as RegExpExecArray;
  const meridiem = Number(hour) < 12 ? 'AM' : 'PM';
  return `${day} ${MONTHS[Number(month) - 1]} ${year}, ${Number(hour) % 12 || 12}:${minute}${meridiem} (UTC)`;
}
