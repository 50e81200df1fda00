import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import {
  findMergeRequest,
  type MergeRequest,
  mayReadMergeRequests,
  mayUpdateMergeRequest,
} from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

interface ProjectContext {
  readonly project: Project;
}

/** Resource: the merge request `:merge_request_iid` of a project whose merge requests the caller may read. */
export const mergeRequestResource = {
  name: 'mergeRequest',
  params: { merge_request_iid: required(integer) },
  load: ({ db, caller, params }: AccessCall<{ readonly merge_request_iid: number }>, { project }: ProjectContext) =>
    findMergeRequest(db, caller, project.id, params.merge_request_iid),
  notFound: genericNotFound,
} as const;

/** Resource: the merge request `:merge_request_iid`. Callers who may not read it get 404. */
export const readableMergeRequestResource = {
  ...mergeRequestResource,
  async load(call: AccessCall<{ readonly merge_request_iid: number }>, { project }: ProjectContext) {
    return mayReadMergeRequests(call.caller, project) ? mergeRequestResource.load(call, { project }) : null;
  },
} as const;

/** Access for signed-in callers who may read the merge request. */
export const signedInMergeRequestAccess = () => inProject('read_merge_request').resource(mergeRequestResource);

/** Access for callers who may read the merge request, anonymous ones included. A Guest of a private project gets 403. */
export const readableMergeRequestAccess = () =>
  inProjectAllowingAnonymous('read_merge_request').resource(mergeRequestResource);

/** A merge request with its project, for permission checks. */
export interface MergeRequestInProject extends ProjectContext {
  readonly mergeRequest: MergeRequest;
}

const createAuthorizedResource = (isAllowed: (call: AccessCall, context: MergeRequestInProject) => boolean) => ({
  ...mergeRequestResource,
  authorize(call: AccessCall, context: MergeRequestInProject) {
    if (!isAllowed(call, context)) throw forbidden();
  },
});

/** Access for callers who may update, close and reopen: members with at least the Developer role, the author and the assignees. */
export const updatableMergeRequestAccess = () =>
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
