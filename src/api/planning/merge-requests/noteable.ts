import { AccessRevoked, standingOf } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest, mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { ThingKind, ThingOfProject } from '#http/access/noteables.ts';
import { inProject, projectOpenTo } from '#http/access/project-access.ts';
import { ownMergeRequest, readableMergeRequest } from './access.ts';

/** Merge requests, as what hangs on them sees them. */
export const mergeRequestThing: ThingKind<ThingOfProject> = {
  type: 'MergeRequest',
  aThing: 'a merge request',
  path: '/projects/:id/merge_requests/:merge_request_iid',
  place: 'project',
  reading: () =>
    inProject('read_project')
      .resource(readableMergeRequest)
      .map(({ project, mergeRequest, caller }) => ({ thing: asThing(project, mergeRequest), caller })),
  numberedPath: '/projects/:id/merge_requests/:merge_request_iid',
  numbered: (callers, unreadable) =>
    projectOpenTo(callers)
      .resource(ownMergeRequest)
      .require(({ caller }, { project }) => {
        if (!mayReadMergeRequests(caller, project)) throw unreadable();
      })
      .map(({ project, mergeRequest, caller }) => ({ thing: asThing(project, mergeRequest), caller })),
  async again(tx, asking, { id, project: { id: projectId } }) {
    const { caller, project } = await standingOf(tx, asking, projectId);
    const [mergeRequest] = await findMergeRequests(tx, caller, [id]);
    if (mergeRequest === undefined || !mayReadMergeRequests(caller, project)) throw new AccessRevoked();
    return { thing: asThing(project, mergeRequest), caller };
  },
};

function asThing(project: Project, { id, iid, author_id, discussion_locked }: MergeRequest): ThingOfProject {
  return { type: 'MergeRequest', id, iid, authorId: author_id, project, locked: discussion_locked === true };
}
