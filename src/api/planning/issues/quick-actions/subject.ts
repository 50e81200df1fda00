import { loadEpicIssueAssociations } from '#api/planning/epics/index.ts';
import { ISSUES, loadAssignees, loadLabels } from '#api/planning/issuables/index.ts';
import { NEW_SUBJECT_STATE, type QuickActionSubject } from '#api/planning/quick-actions/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { filterIssueReaders, type Issue, mayUpdateIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { moveIssue } from '../actions/changes.ts';
import { markAsDuplicate, mayMarkAsDuplicate } from '../duplicate.ts';

// Issues as subjects of quick actions.

/** Loads the subject for an existing issue. */
export async function loadIssueSubject(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  issue: Issue,
): Promise<QuickActionSubject> {
  const mayManage = mayInProject(uow.actor, 'update_issue', project);
  const assigneeRows = await loadAssignees(uow, ISSUES, [issue.id]);
  const [association] = await loadEpicIssueAssociations(uow, [issue.id]);
  return {
    type: 'Issue',
    parent: { project },
    noteable: issue,
    mayUpdate: mayUpdateIssue(uow.actor, project, issue),
    mayManage,
    mayTrackTime: mayManage,
    mayLink: mayInProject(uow.actor, 'relate_issue', project),
    filterReaders: (ids) => filterIssueReaders(uow, project, issue, ids),
    issue: {
      isMoved: issue.moved_to_id !== null,
      moveTo: (projectId) => moveIssue(uow, project, issue.iid, projectId),
      mayMarkAsDuplicateOf: (other) => mayMarkAsDuplicate(uow, { issue, project }, other),
      markAsDuplicateOf: (other) => markAsDuplicate(uow, project, issue.id, other),
    },
    currentState: {
      ...issue,
      labels: await loadLabels(uow, ISSUES, [issue.id]),
      assignees: assigneeRows.map(({ user_id }) => user_id),
      reviewers: [],
      epic_id: association?.epic_id ?? null,
    },
  };
}

/** Returns the subject for an issue that is being created. */
export function newIssueSubject(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  title: string,
  confidential: boolean,
): QuickActionSubject {
  const mayManage = mayInProject(uow.actor, 'set_new_issue_metadata', project);
  return {
    type: 'Issue',
    parent: { project },
    noteable: null,
    mayUpdate: true,
    mayManage,
    mayTrackTime: mayInProject(uow.actor, 'update_issue', project),
    mayLink: mayInProject(uow.actor, 'relate_issue', project),
    filterReaders: (ids) => filterIssueReaders(uow, project, { confidential, author_id: uow.actor.user.id }, ids),
    currentState: { ...NEW_SUBJECT_STATE, title, confidential },
  };
}
