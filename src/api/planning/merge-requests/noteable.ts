import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { findMergeRequests, mayReadMergeRequests } from '#authorization/merge-requests.ts';
import { type IssuableKind, type ProjectIssuable, toProjectIssuable } from '#http/access/noteables.ts';
import { inProject, inVisibleProject } from '#http/access/project-access.ts';
import { mergeRequestResource, readableMergeRequestResource } from './access.ts';

/** Merge requests as noteables. */
export const mergeRequestNoteable: IssuableKind<ProjectIssuable> = {
  type: 'MergeRequest',
  nounWithArticle: 'a merge request',
  path: '/projects/:id/merge_requests/:merge_request_iid',
  parentType: 'project',
  readAccess: () =>
    inProject('read_project')
      .resource(readableMergeRequestResource)
      .map(({ project, mergeRequest, caller }) => ({
        noteable: toProjectIssuable('MergeRequest', project, mergeRequest),
        caller,
      })),
  iidPath: '/projects/:id/merge_requests/:merge_request_iid',
  accessByIid: (audience, createUnreadableError) =>
    inVisibleProject(audience)
      .resource(mergeRequestResource)
      .require(({ caller }, { project }) => {
        if (!mayReadMergeRequests(caller, project)) throw createUnreadableError();
      })
      .map(({ project, mergeRequest, caller }) => ({
        noteable: toProjectIssuable('MergeRequest', project, mergeRequest),
        caller,
      })),
  async reload(tx, previousCaller, { id, project: { id: projectId } }) {
    const { caller, project } = await reloadAccess(tx, previousCaller, projectId);
    const [mergeRequest] = await findMergeRequests(tx, caller, [id]);
    if (mergeRequest === undefined || !mayReadMergeRequests(caller, project)) throw new AccessRevoked();
    return { noteable: toProjectIssuable('MergeRequest', project, mergeRequest), caller };
  },
};
