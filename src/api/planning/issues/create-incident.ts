import type { SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import type { IssueSeverity } from '#database/schema.ts';
import { allocateIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { insertIssueWithRelations, recordIssueCreated } from './changes.ts';
import { NO_METADATA } from './metadata.ts';

/** Content of an incident that the server creates (contract/monitoring.md §7). */
interface CreateIncidentInput {
  /** Returns the title of the incident with this iid. */
  readonly buildTitle: (iid: number) => string;
  readonly description: string;
  readonly severity: IssueSeverity;
}

/** Creates an incident as the last issue of the project. The actor need not be a member. Requires the lock `issuesLockKey`. */
export async function createIncident(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  incident: CreateIncidentInput,
): Promise<Issue> {
  const { buildTitle: title, description, severity } = incident;
  const iid = await allocateIid(uow, { projectId: project.id }, 'issue');
  const issue = await insertIssueWithRelations(uow, project, {
    ...NO_METADATA,
    iid,
    title: title(iid),
    description,
    severity,
    issue_type: 'incident',
    confidential: false,
    author_id: uow.actor.user.id,
    labels: [],
    createdAt: uow.now,
  });
  await recordIssueCreated(uow, project, issue);
  return issue;
}
