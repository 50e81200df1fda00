import { associationsOf } from '#api/planning/epics/index.ts';
import { assigneesOf, ISSUES, labelsOn } from '#api/planning/issuables/index.ts';
import { BEGINNING, type Subject } from '#api/planning/quick-actions/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { type Issue, issueReadersAmong, mayUpdateIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Issues, as quick actions see them. */

export async function issueSubject(uow: UnitOfWork<SignedInCaller>, project: Project, issue: Issue): Promise<Subject> {
  const mayManage = mayInProject(uow.actor, 'update_issue', project);
  const assigned = await assigneesOf(uow, ISSUES, [issue.id]);
  const [association] = await associationsOf(uow, [issue.id]);
  return {
    type: 'Issue',
    place: { project },
    thing: issue,
    mayUpdate: mayUpdateIssue(uow.actor, project, issue),
    mayManage,
    mayTime: mayManage,
    readers: (ids) => issueReadersAmong(uow, project, issue, ids),
    now: {
      ...issue,
      labels: await labelsOn(uow, ISSUES, [issue.id]),
      assignees: assigned.map(({ user_id }) => user_id),
      reviewers: [],
      epic_id: association?.epic_id ?? null,
    },
  };
}

/** One that is being filed. */
export function newIssueSubject(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  title: string,
  confidential: boolean,
): Subject {
  const mayManage = mayInProject(uow.actor, 'set_new_issue_metadata', project);
  return {
    type: 'Issue',
    place: { project },
    thing: null,
    mayUpdate: true,
    mayManage,
    mayTime: mayInProject(uow.actor, 'update_issue', project),
    readers: (ids) => issueReadersAmong(uow, project, { confidential, author_id: uow.actor.user.id }, ids),
    now: { ...BEGINNING, title, confidential },
  };
}
