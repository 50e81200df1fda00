import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import {
  findMergeRequest,
  findMergeRequests,
  type MergeRequest,
  mayReadMergeRequests,
  mayUpdateMergeRequest,
} from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { type IssuableKind, type ProjectIssuable, toProjectIssuable } from '#http/access/noteables.ts';
import { inProject, inProjectAllowingAnonymous, inVisibleProject } from '#http/access/project-access.ts';
import { forbidden, genericNotFound, unauthorized } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';

interface ProjectContext {
  readonly project: Project;
}

/** Resource: the merge request `:merge_request_iid`, where the access has checked that the caller may read merge requests. */
const mergeRequestResource = {
  name: 'mergeRequest',
  params: { merge_request_iid: required(integer) },
  load: ({ db, caller, params }: AccessCall<{ readonly merge_request_iid: number }>, { project }: ProjectContext) =>
    findMergeRequest(db, caller, project.id, params.merge_request_iid),
  notFound: genericNotFound,
} as const;

/** Resource: the merge request `:merge_request_iid`. Callers who may not read merge requests of the project get 404. */
const readableMergeRequestResource = {
  ...mergeRequestResource,
  async load(call: AccessCall<{ readonly merge_request_iid: number }>, { project }: ProjectContext) {
    return mayReadMergeRequests(call.caller, project) ? mergeRequestResource.load(call, { project }) : null;
  },
} as const;

/** Access for signed-in callers who may read the merge request. */
export const signedInMergeRequestAccess = () => inProject('read_merge_request').resource(mergeRequestResource);

/** Access for callers who may read the merge request, anonymous ones included. A Guest of a private project gets 403. */
export const readMergeRequestAccess = () =>
  inProjectAllowingAnonymous('read_merge_request').resource(mergeRequestResource);

/** A merge request with its project, for permission checks. */
interface MergeRequestInProject extends ProjectContext {
  readonly mergeRequest: MergeRequest;
}

/** Returns the resource with a further check that answers 403 to callers who are not allowed. */
const createAuthorizedResource = (isAllowed: (call: AccessCall, context: MergeRequestInProject) => boolean) => ({
  ...mergeRequestResource,
  authorize(call: AccessCall, context: MergeRequestInProject) {
    if (!isAllowed(call, context)) throw forbidden();
  },
});

/** Access for callers who may update, close and reopen: members with at least the Developer role, the author and the assignees. */
export const updateMergeRequestAccess = () =>
  inProject('read_merge_request')
    .resource(
      createAuthorizedResource(({ caller }, { project, mergeRequest }) =>
        mayUpdateMergeRequest(caller, project, mergeRequest),
      ),
    )
    .withLabel('project:update_merge_request, own merge requests: update_own_merge_request');

/** Access for members with this ability. */
export const mergeRequestAccessWithAbility = (ability: ProjectAbilityName) =>
  inProject('read_merge_request')
    .resource(createAuthorizedResource(({ caller }, { project }) => mayInProject(caller, ability, project)))
    .withLabel(`project:${ability}`);

/** Access for callers who may read the merge request and the project's code; Planners may not read code. */
export const mergeRequestCodeAccess = () =>
  readMergeRequestAccess().require(requireReadCode).withLabel('project:read_merge_request, read_code (public)');

/** Access for signed-in callers who may read the merge request and the project's code. */
export const signedInMergeRequestCodeAccess = () =>
  inProject('read_merge_request')
    .resource(mergeRequestResource)
    .require(requireReadCode)
    .withLabel('project:read_merge_request, read_code');

function requireReadCode({ caller }: AccessCall, { project }: ProjectContext): void {
  if (!mayInProject(caller, 'read_code', project)) throw forbidden();
}

/**
 * Access for signed-in callers, further checked by `authorizeMergeRequest`. Callers who may not read the merge request get 404; all callers
 * get 403 in archived projects.
 */
export const authorizedMergeRequestAccess = (
  authorizeMergeRequest: (call: AccessCall, context: MergeRequestInProject) => Promise<void> | void,
) =>
  inProject('read_project').resource({
    ...readableMergeRequestResource,
    async authorize(call: AccessCall, context: MergeRequestInProject) {
      if (context.project.archived) throw forbidden();
      await authorizeMergeRequest(call, context);
    },
  });

/** Access for callers who may merge into the target branch; others get 401. */
export const mergeAccess = () =>
  authorizedMergeRequestAccess(async ({ db, caller }, { project, mergeRequest }) => {
    if (!(await mayMergeInto(db, caller, project, mergeRequest.target_branch))) throw unauthorized();
  }).withLabel('project:merge into branch (401)');

/** Access for callers who may merge into the target branch and for the author; others get 401. */
export const mergeOrAuthorAccess = () =>
  authorizedMergeRequestAccess(async ({ db, caller }, { project, mergeRequest }) => {
    if (mergeRequest.author_id === caller.user?.id) return;
    if (!(await mayMergeInto(db, caller, project, mergeRequest.target_branch))) throw unauthorized();
  }).withLabel('project:merge into branch, own merge requests (401)');

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
