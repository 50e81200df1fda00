import type { SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import type { IssueSeverity } from '#database/tables/issues.ts';
import { nextIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addIssue, tellOfIssue } from './insert.ts';
import { NO_METADATA } from './metadata.ts';

/** Incidents that something else than a request brings about: whoever acts need be no member (contract/monitoring.md §7). */

interface NewIncident {
  /** By its number. */
  readonly title: (iid: number) => string;
  readonly description: string;
  readonly severity: IssueSeverity;
}

/** Files an incident as the last issue of the project; in the turn of those who file issues there. */
export async function fileIncident(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  incident: NewIncident,
): Promise<Issue> {
  const { title, description, severity } = incident;
  const iid = await nextIid(uow, { projectId: project.id }, 'issue');
  const made = await addIssue(uow, project, {
    ...NO_METADATA,
    iid,
    title: title(iid),
    description,
    severity,
    issue_type: 'incident',
    confidential: false,
    author_id: uow.actor.user.id,
    labels: [],
    madeAt: uow.now,
  });
  await tellOfIssue(uow, project, made);
  return made;
}
