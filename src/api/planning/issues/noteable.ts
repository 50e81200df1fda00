import { AccessRevoked, standingOf } from '#authorization/current-access.ts';
import { findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { ThingKind, ThingOfProject } from '#http/access/noteables.ts';
import { inProject, projectOpenTo } from '#http/access/project-access.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { anyIssue, readableIssue } from './access.ts';

/** Issues, as what hangs on them sees them. */
export const issueThing: ThingKind<ThingOfProject> = {
  type: 'Issue',
  aThing: 'an issue',
  path: '/projects/:id/issues/:issue_iid',
  place: 'project',
  reading: () =>
    inProject('read_project')
      .resource(readableIssue)
      .map(({ project, issue, caller }) => ({ thing: asThing(project, issue), caller })),
  numberedPath: '/projects/:id/issues/:issue_iid',
  numbered: (callers, unreadable) =>
    projectOpenTo(callers)
      .resource(
        anyIssue(nestedNotFound, ({ caller }, { project, issue }) => {
          if (!mayReadIssue(caller, project, issue)) throw unreadable();
        }),
      )
      .map(({ project, issue, caller }) => ({ thing: asThing(project, issue), caller })),
  async again(tx, asking, { id, project: { id: projectId } }) {
    const { caller, project } = await standingOf(tx, asking, projectId);
    const [issue] = await findIssues(tx, caller, [id]);
    if (issue === undefined || !mayReadIssue(caller, project, issue)) throw new AccessRevoked();
    return { thing: asThing(project, issue), caller };
  },
};

function asThing(project: Project, { id, iid, author_id, discussion_locked }: Issue): ThingOfProject {
  return { type: 'Issue', id, iid, authorId: author_id, project, locked: discussion_locked === true };
}
