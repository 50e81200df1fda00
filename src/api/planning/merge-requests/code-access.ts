import { mayInProject } from '#authorization/abilities.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, unauthorized } from '#http/errors/http-error.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import {
  type MergeRequestInProject,
  mergeRequestResource,
  readableMergeRequestAccess,
  readableMergeRequestResource,
} from './access.ts';

/** Access to the code of a merge request. */

/** Access for callers who may read the merge request and the project's code; Planners may not read code. */
export const mergeRequestCodeAccess = () =>
  readableMergeRequestAccess().require(requireReadCode).withLabel('project:read_merge_request, read_code (public)');

/** Access for signed-in callers who may read the merge request and the project's code. */
export const signedInMergeRequestCodeAccess = () =>
  inProject('read_merge_request')
    .resource(mergeRequestResource)
    .require(requireReadCode)
    .withLabel('project:read_merge_request, read_code');

function requireReadCode({ caller }: AccessCall, { project }: { readonly project: Project }): void {
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
