import { closeIssue, createIncident, issuesLockKey } from '#api/planning/issues/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import type { AlertSeverity, IssueSeverity } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { buildAlertPath } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { MONTHS } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { truncateToBytes } from '#text/trim.ts';
import { insertSystemNotes } from '../alerts/index.ts';
import { getIncidentSettings, readIssueTemplate } from '../incident-management-settings/index.ts';
import { buildAlertForIncidentQuery, setAlertIncident } from './store.ts';

interface IncidentFromAlertInput {
  readonly project: Project;
  readonly alertId: number;
  /** The server's address, for the link to the alert. */
  readonly url: string;
  /** Whether to close the incident immediately if the alert is already resolved. */
  readonly closeResolved?: boolean;
}

/**
 * Creates the incident of an alert from its first payload and the project's template, with the caller as its author. Fails with
 * `hasIncident` if the alert has an incident already, including one created concurrently.
 */
export async function createIncidentFromAlert(
  { runUnitOfWork, database, git }: Pick<Services, 'runUnitOfWork' | 'database' | 'git'>,
  author: SignedInCaller,
  { project, alertId, url, closeResolved = false }: IncidentFromAlertInput,
): Promise<Issue | Failure<'hasIncident'>> {
  const { issue_template_key: key } = await getIncidentSettings(database.reader, project.id);
  // A template that was deleted since it was selected is omitted.
  const template = key === null ? null : await readIssueTemplate(git, project, key);
  return runUnitOfWork(
    author,
    async (uow) => {
      const incident = await insertIncidentForAlert(uow, { project, alertId, url, template });
      if (incident === null) return fail('hasIncident');
      if (incident.alert.status === 'resolved' && closeResolved) await closeIssue(uow, incident.issue);
      return incident.issue;
    },
    { lock: issuesLockKey(project) },
  );
}

async function insertIncidentForAlert(
  uow: UnitOfWork<SignedInCaller>,
  { project, alertId, url, template }: IncidentFromAlertInput & { readonly template: string | null },
) {
  const alert = await buildAlertForIncidentQuery(uow, alertId).executeTakeFirst();
  if (alert === undefined || alert.issue_id !== null) return null;
  const alertUrl = url + buildAlertPath(project.full_path, alert.iid);
  const issue = await createIncident(uow, project, {
    buildTitle: buildIncidentTitle(alert),
    description: buildIncidentDescription(alert, { url: alertUrl, template }),
    severity: toIncidentSeverity(alert.severity),
  });
  const updatedAlert = await setAlertIncident(uow, alertId, issue.id);
  // The failure rolls back the new issue.
  if (updatedAlert === undefined) return null;
  const body = `created incident #${issue.iid} for this alert`;
  await insertSystemNotes(uow, [{ alertId, authorId: uow.actor.user.id, body }]);
  return { issue, alert: updatedAlert };
}

// Builds the title and description of an incident from its alert (contract/monitoring.md §7). Pure.

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
