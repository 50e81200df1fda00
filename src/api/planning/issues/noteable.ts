import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { findIssues, mayReadIssue } from '#authorization/issues.ts';
import { type IssuableKind, type ProjectIssuable, toProjectIssuable } from '#http/access/noteables.ts';
import { inProject, inVisibleProject } from '#http/access/project-access.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { issueResource, readableIssueResource } from './access.ts';

/** Issues as noteables. */
export const issueNoteable: IssuableKind<ProjectIssuable> = {
  type: 'Issue',
  nounWithArticle: 'an issue',
  path: '/projects/:id/issues/:issue_iid',
  parentType: 'project',
  readAccess: () =>
    inProject('read_project')
      .resource(readableIssueResource)
      .map(({ project, issue, caller }) => ({ noteable: toProjectIssuable('Issue', project, issue), caller })),
  iidPath: '/projects/:id/issues/:issue_iid',
  accessByIid: (audience, createUnreadableError) =>
    inVisibleProject(audience)
      .resource(
        issueResource(genericNotFound, ({ caller }, { project, issue }) => {
          if (!mayReadIssue(caller, project, issue)) throw createUnreadableError();
        }),
      )
      .map(({ project, issue, caller }) => ({ noteable: toProjectIssuable('Issue', project, issue), caller })),
  async reload(tx, previousCaller, { id, project: { id: projectId } }) {
    const { caller, project } = await reloadAccess(tx, previousCaller, projectId);
    const [issue] = await findIssues(tx, caller, [id]);
    if (issue === undefined || !mayReadIssue(caller, project, issue)) throw new AccessRevoked();
    return { noteable: toProjectIssuable('Issue', project, issue), caller };
  },
};
