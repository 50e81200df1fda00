import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import {
  findMergeRequest,
  type MergeRequest,
  mayReadMergeRequests,
  mayUpdateMergeRequest,
} from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject, inPublicProject } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

interface OfProject {
  readonly project: Project;
}

/** The merge request of `:merge_request_iid`, in a project whose merge requests the caller may read. */
export const ownMergeRequest = {
  name: 'mergeRequest',
  params: { merge_request_iid: required(integer) },
  load: ({ db, caller, params }: AccessCall<{ readonly merge_request_iid: number }>, { project }: OfProject) =>
    findMergeRequest(db, caller, project.id, params.merge_request_iid),
  notFound: nestedNotFound,
} as const;

/** The same, for who may read it; to all others it is not there. */
export const readableMergeRequest = {
  ...ownMergeRequest,
  async find(call: AccessCall<{ readonly merge_request_iid: number }>, { project }: OfProject) {
    return mayReadMergeRequests(call.caller, project) ? ownMergeRequest.load(call, { project }) : null;
  },
} as const;

/** Signed-in callers who read it. */
export const seeingMergeRequest = () => inProject('read_merge_request').resource(ownMergeRequest);

/** Whoever reads it, the public where it is open; a Guest of a private project is told that he may not. */
export const readingMergeRequest = () => inPublicProject('read_merge_request').resource(ownMergeRequest);

/** What is known when a right to a merge request is asked for. */
export interface OfMergeRequest extends OfProject {
  readonly mergeRequest: MergeRequest;
}

const allowed = (allow: (call: AccessCall, found: OfMergeRequest) => boolean) => ({
  ...ownMergeRequest,
  allow(call: AccessCall, found: OfMergeRequest) {
    if (!allow(call, found)) throw forbidden();
  },
});

/** Who may change it, close and reopen it: members from Developer on, its author and its assignees. */
export const updatingMergeRequest = () =>
  inProject('read_merge_request')
    .resource(allowed(({ caller }, { project, mergeRequest }) => mayUpdateMergeRequest(caller, project, mergeRequest)))
    .require(() => {}, 'project:update_merge_request, own merge requests: update_own_merge_request');

/** Members with this ability. */
export const managingMergeRequest = (ability: ProjectAbilityName) =>
  inProject('read_merge_request')
    .resource(allowed(({ caller }, { project }) => mayInProject(caller, ability, project)))
    .require(() => {}, `project:${ability}`);
