import { Type } from 'typebox';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok } from '#http/endpoint/responses.ts';
import { REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { authorizedMergeRequestAccess } from '../code-access.ts';
import { startRebase } from './changes.ts';

const Rebase = entity('MergeRequestRebase', { rebase_in_progress: Type.Boolean() });

/** Describes the permission checks of `startRebase` in api.txt. */
const PERMISSION_LABEL = 'project:read_merge_request, push and force push to the source branch';

/** contract/planning.md §3.8 "Rebase" */
export const rebaseMergeRequest = endpoint({
  put: '/projects/:id/merge_requests/:merge_request_iid/rebase',
  summary: 'Rebase a merge request',
  access: authorizedMergeRequestAccess(() => {}).withLabel(PERMISSION_LABEL),
  params: { skip_ci: optional(boolean, false) },
  errors: {
    sourceBranchMissing: [403, '403 Forbidden - Source branch does not exist'],
    pushForbidden: [403, '403 Forbidden - Cannot push to source branch'],
    forcePushForbidden: [403, '403 Forbidden - Source branch is protected from force push'],
    locked: [409, '409 Conflict: Resource lock'],
    readOnly: REPOSITORY_READ_ONLY,
  },
  response: { ...ok(Rebase), status: 202 },
  handle: ({ project, mergeRequest, caller, params }, services) =>
    startRebase(services, caller, project, mergeRequest, params.skip_ci),
});
