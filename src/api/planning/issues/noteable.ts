import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { IssuableKind, ProjectIssuable } from '#http/access/noteables.ts';
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
      .map(({ project, issue, caller }) => ({ noteable: toNoteable(project, issue), caller })),
  iidPath: '/projects/:id/issues/:issue_iid',
  accessByIid: (audience, createUnreadableError) =>
    inVisibleProject(audience)
      .resource(
        issueResource(genericNotFound, ({ caller }, { project, issue }) => {
          if (!mayReadIssue(caller, project, issue)) throw createUnreadableError();
        }),
      )
      .map(({ project, issue, caller }) => ({ noteable: toNoteable(project, issue), caller })),
  async reload(tx, previousCaller, { id, project: { id: projectId } }) {
    const { caller, project } = await reloadAccess(tx, previousCaller, projectId);
    const [issue] = await findIssues(tx, caller, [id]);
    if (issue === undefined || !mayReadIssue(caller, project, issue)) throw new AccessRevoked();
    return { noteable: toNoteable(project, issue), caller };
  },
};

function toNoteable(project: Project, { id, iid, author_id, discussion_locked }: Issue): ProjectIssuable {
  return { type: 'Issue', id, iid, authorId: author_id, project, locked: discussion_locked === true };
}
