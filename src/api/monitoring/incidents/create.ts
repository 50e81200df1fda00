import { closeIssue, createIncident, issuesLockKey } from '#api/planning/issues/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import { alertPath } from '#domain/alert-path.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { saySystemNotes } from '../alerts/index.ts';
import { readTemplate, settingsOf } from '../incident-management-settings/index.ts';
import { incidentDescription, incidentSeverity, incidentTitle } from './incident-content.ts';
import { alertToDescribe, giveIncident } from './store.ts';

interface Wanted {
  readonly project: Project;
  readonly alertId: number;
  /** The server's address, for the link to the alert. */
  readonly url: string;
  /** It is closed at once when the alert has recovered meanwhile. */
  readonly closeResolved?: boolean;
}

/**
 * Makes the incident of an alert, by whoever acts: from what was reported first and the project's template. An alert has one at
 * most, whoever else makes one at that moment: `exists`.
 */
export async function makeIncident(
  { runUnitOfWork, database, git }: Pick<Services, 'runUnitOfWork' | 'database' | 'git'>,
  by: SignedInCaller,
  { project, alertId, url, closeResolved = false }: Wanted,
): Promise<Issue | Failure<'exists'>> {
  const { issue_template_key: key } = await settingsOf(database.reader, project.id);
  // One that has gone since it was chosen is left out.
  const template = key === null ? null : await readTemplate(git, project, key);
  return runUnitOfWork(
    by,
    async (uow) => {
      const incident = await fileFor(uow, { project, alertId, url, template });
      if (incident === null) return fail('exists');
      if (incident.alert.status === 'resolved' && closeResolved) await closeIssue(uow, incident.issue);
      return incident.issue;
    },
    { lock: issuesLockKey(project) },
  );
}

async function fileFor(
  uow: UnitOfWork<SignedInCaller>,
  { project, alertId, url, template }: Wanted & { readonly template: string | null },
) {
  const alert = await alertToDescribe(uow, alertId).executeTakeFirst();
  if (alert === undefined || alert.issue_id !== null) return null;
  const address = url + alertPath(project.full_path, alert.iid);
  const issue = await createIncident(uow, project, {
    title: incidentTitle(alert),
    description: incidentDescription(alert, { url: address, template }),
    severity: incidentSeverity(alert.severity),
  });
  const now = await giveIncident(uow, alertId, issue.id);
  if (now === undefined) return null;
  const body = `created incident #${issue.iid} for this alert`;
  await saySystemNotes(uow, [{ alertId, authorId: uow.actor.user.id, body }]);
  return { issue, alert: now };
}
