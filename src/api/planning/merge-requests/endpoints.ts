import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, mutuallyExclusive, optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { ifUnmodifiedResource } from '../issuables/index.ts';
import { mergeRequestAccessWithAbility, readableMergeRequestAccess, updatableMergeRequestAccess } from './access.ts';
import { deleteMergeRequestIfUnchanged } from './changes.ts';
import { createMergeRequest as create } from './create.ts';
import { MergeRequest } from './entities.ts';
import { createMergeRequestParams, updateMergeRequestParams } from './parameters.ts';
import { updateMergeRequestWithLock } from './update.ts';

export const getMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid',
  summary: 'Get a merge request',
  access: readableMergeRequestAccess(),
  params: {
    render_html: optional(boolean, false),
    include_diverged_commits_count: optional(boolean, false),
    include_rebase_in_progress: optional(boolean, false),
  },
  response: ok(MergeRequest),
  read: (_db, { mergeRequest }) => mergeRequest,
});

const SAME_BRANCHES = [422, { message: ["You can't use same project/branch for source and target"] }] as const;

/** Another merge request is open for the same branches. */
const ALREADY_EXISTS = [
  409,
  { message: ['Another open merge request already exists for this source branch: !{iid}'] },
] as const;

export const createMergeRequest = endpoint({
  post: '/projects/:id/merge_requests',
  summary: 'Create a merge request',
  access: inProject('create_merge_request'),
  params: createMergeRequestParams,
  rules: [mutuallyExclusive('assignee_ids', 'assignee_id')],
  errors: {
    notAFork: [422, { message: ['Source project is not a fork of the target project'] }],
    sameBranches: SAME_BRANCHES,
    exists: ALREADY_EXISTS,
    invalid: INVALID,
    notFound: NOT_FOUND,
  },
  activity: ['created MergeRequest', 'milestone add', 'label add', 'note mention'],
  response: created(MergeRequest),
  handle: ({ project, caller, params }, services) => create(services, caller, project, params),
});

export const updateMergeRequest = endpoint({
  put: '/projects/:id/merge_requests/:merge_request_iid',
  summary: 'Update a merge request',
  access: updatableMergeRequestAccess(),
  params: updateMergeRequestParams,
  rules: [mutuallyExclusive('assignee_ids', 'assignee_id'), atLeastOne(...Object.keys(updateMergeRequestParams))],
  errors: { sameBranches: SAME_BRANCHES, exists: ALREADY_EXISTS, invalid: INVALID, notFound: NOT_FOUND },
  activity: [
    'closed MergeRequest',
    'reopened MergeRequest',
    'state closed',
    'state opened',
    'milestone add',
    'milestone remove',
    'label add',
    'label remove',
    'note title',
    'note description',
    'note assignee',
    'note lock',
    'note mention',
    'note auto_merge',
  ],
  response: ok(MergeRequest),
  handle: ({ project, mergeRequest, caller, params }, services) =>
    updateMergeRequestWithLock(services, caller, project, mergeRequest, params),
});

export const deleteMergeRequest = endpoint({
  delete: '/projects/:id/merge_requests/:merge_request_iid',
  summary: 'Delete a merge request',
  access: mergeRequestAccessWithAbility('delete_merge_request').resource(ifUnmodifiedResource),
  lastModified: ({ mergeRequest }) => mergeRequest.updated_at,
  errors: { notFound: NOT_FOUND, changed: [412, '412 Precondition Failed'] },
  response: noContent,
  write: (uow, { mergeRequest, ifUnmodified }) =>
    deleteMergeRequestIfUnchanged(uow, mergeRequest, ifUnmodified.isRequested),
});

export * from './auto-merge/endpoints.ts';
export * from './diffs/endpoints.ts';
export * from './listing/commit-endpoints.ts';
export * from './listing/endpoints.ts';
export * from './listing/issue-endpoints.ts';
export * from './merging/endpoints.ts';
export * from './rebase/endpoints.ts';
export * from './subscription-and-time-endpoints.ts';
