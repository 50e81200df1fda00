import type { AlertSeverity } from '#database/tables/alerts.ts';
import type { IssueSeverity } from '#database/tables/issues.ts';
import { MONTHS } from '#runtime/clock.ts';
import { truncateToBytes } from '#text/trim.ts';

/** What an incident says that is made from an alert (contract/monitoring.md §7). Pure. */

export interface Described {
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

/** Bytes of the longest description that an issue may have. */
const LONGEST = 1024 * 1024;

/** Its title by its number: an alert without a name gives it that alone. */
export const incidentTitle = ({ title }: Pick<Described, 'title'>) => {
  return (iid: number) => (title === 'New: Alert' ? `New: Incident ${iid}` : title);
};

/** How bad the incident is: issues know no `info`. */
export function incidentSeverity(severity: AlertSeverity): IssueSeverity {
  return severity === 'info' ? 'unknown' : severity;
}

/** `url` is where the alert is; `template` what the project's incidents say besides. */
export function incidentDescription(
  alert: Described,
  { url, template }: { readonly url: string; readonly template: string | null },
): string {
  const parts = [summaryOf(alert, url), alert.incident_markdown, template].filter((part) => (part ?? '').trim() !== '');
  return truncateToBytes(parts.join('\n\n---\n\n'), LONGEST);
}

function summaryOf(alert: Described, url: string): string {
  const hosts = (JSON.parse(alert.hosts) as string[]).join(' ');
  const optional = (name: string, value: string | null) => (value ? [`**${name}:** ${value}`] : []);
  return [
    `**Start time:** ${inWords(alert.started_at)}`,
    `**Severity:** ${alert.severity}`,
    ...optional('full_query', alert.metric_query && `\`${alert.metric_query}\``),
    ...optional('Service', alert.service),
    ...optional('Monitoring tool', alert.monitoring_tool),
    ...optional('Hosts', hosts),
    ...optional('Description', alert.description),
    `**Alert:** ${url}`,
  ].join('  \n');
}

/** `13 February 2026, 10:20AM (UTC)` of a moment as it is stored. */
function inWords(moment: string): string {
  const [, year, month, day, hour, minute] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(moment) as RegExpExecArray;
  const half = Number(hour) < 12 ? 'AM' : 'PM';
  return `${day} ${MONTHS[Number(month) - 1]} ${year}, ${Number(hour) % 12 || 12}:${minute}${half} (UTC)`;
}
