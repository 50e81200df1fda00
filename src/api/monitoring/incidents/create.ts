import { closeIssue, createIncident, issuesLockKey } from '#api/planning/issues/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import { buildAlertPath } from '#domain/alert-path.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { insertSystemNotes } from '../alerts/index.ts';
import { getIncidentSettings, readIssueTemplate } from '../incident-management-settings/index.ts';
import { buildIncidentDescription, buildIncidentTitle, toIncidentSeverity } from './incident-content.ts';
import { selectAlertForIncident, setAlertIncident } from './store.ts';

interface IncidentFromAlertInput {
  readonly project: Project;
  readonly alertId: number;
  /** The server's address, for the link to the alert. */
  readonly url: string;
  /** Whether to close the incident at once if the alert is already resolved. */
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
  const alert = await selectAlertForIncident(uow, alertId).executeTakeFirst();
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
