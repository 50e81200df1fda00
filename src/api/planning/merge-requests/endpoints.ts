import { Type } from 'typebox';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, noContent, ok } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND, NOT_MODIFIED, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, mutuallyExclusive, optional } from '#http/parameters/declarations.ts';
import { commitMessage, refName } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import {
  createTimeTrackingEndpoints,
  ifUnmodifiedResource,
  MERGE_REQUESTS,
  updateSubscription,
} from '../issuables/index.ts';
import {
  authorizedMergeRequestAccess,
  mergeAccess,
  mergeOrAuthorAccess,
  mergeRequestAccessWithAbility,
  mergeRequestCodeAccess,
  readMergeRequestAccess,
  updateMergeRequestAccess,
} from './access.ts';
import { cancelAutoMerge } from './auto-merge/changes.ts';
import { deleteMergeRequestRow } from './changes.ts';
import { createMergeRequest as createMergeRequestWithVersion } from './create.ts';
import { MergeRequest } from './entities.ts';
import { mergeNowOrWhenReady } from './merging/merge.ts';
import { createMergeRef } from './merging/merge-commits.ts';
import { createMergeRequestParams, updateMergeRequestParams } from './parameters.ts';
import { startRebase } from './rebase.ts';
import { updateMergeRequestWithLock } from './update.ts';

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

export const getMergeRequest = endpoint({
  get: MERGE_REQUEST,
  summary: 'Get a merge request',
  description:
    '`merge_status` and `detailed_merge_status` of an open merge request are computed from the current branches. `detailed_merge_status` is the first check that is not met, or `mergeable`. `pipeline` and `head_pipeline` are null for callers who may not read pipelines.',
  access: readMergeRequestAccess(),
  params: {
    render_html: describe(optional(boolean, false), 'Adds `title_html` and `description_html`.'),
    include_diverged_commits_count: describe(optional(boolean, false), 'Adds `diverged_commits_count`.'),
    include_rebase_in_progress: describe(optional(boolean, false), 'Adds `rebase_in_progress`.'),
  },
  response: ok(MergeRequest),
  read: (_db, { mergeRequest }) => mergeRequest,
});

const SAME_BRANCHES = [422, { message: ["You can't use same project/branch for source and target"] }] as const;

const ALREADY_EXISTS = [
  409,
  { message: ['Another open merge request already exists for this source branch: !{iid}'] },
] as const;

export const createMergeRequest = endpoint({
  post: '/projects/:id/merge_requests',
  summary: 'Create a merge request',
  description:
    'The source and the target branch must exist in this project: forks are not supported. Only one merge request can be open for two branches. Quick actions in `description` are executed. Users who may not read merge requests of the project are ignored as assignees and reviewers. Assignees, reviewers and mentioned users get to-do items and mails.',
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
  handle: ({ project, caller, params }, services) => createMergeRequestWithVersion(services, caller, project, params),
});

export const updateMergeRequest = endpoint({
  put: MERGE_REQUEST,
  summary: 'Update a merge request',
  description:
    'At least one parameter is required. Authors and assignees without the Developer role can change only the title, description, target branch, state, `squash` and `remove_source_branch`; other parameters are ignored. A new target branch or `close` aborts auto-merge. Quick actions in `description` are executed.',
  access: updateMergeRequestAccess(),
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
  delete: MERGE_REQUEST,
  summary: 'Delete a merge request',
  description:
    'Deletes the merge request with its notes, versions and approvals. Its refs `refs/merge-requests/<iid>/head` are deleted in the background; its branches stay.',
  access: mergeRequestAccessWithAbility('delete_merge_request').resource(ifUnmodifiedResource),
  lastModified: ({ mergeRequest }) => mergeRequest.updated_at,
  errors: { notFound: NOT_FOUND, changed: [412, '412 Precondition Failed'] },
  response: noContent,
  write: (uow, { mergeRequest, ifUnmodified }) => deleteMergeRequestRow(uow, mergeRequest, ifUnmodified.isRequested),
});

const AutoMergeCanceled = entity('AutoMergeCanceled', { status: Type.Literal('success') });

export const cancelMergeWhenPipelineSucceeds = endpoint({
  post: `${MERGE_REQUEST}/cancel_merge_when_pipeline_succeeds`,
  summary: 'Cancel auto-merge of a merge request',
  description:
    'Callers who may merge into the target branch can cancel auto-merge, and so can the author. A system note records it. Answers 406 if auto-merge is not enabled.',
  access: mergeOrAuthorAccess(),
  errors: { autoMergeNotEnabled: [406, "Can't cancel the automatic merge"] },
  activity: ['note auto_merge'],
  response: created(AutoMergeCanceled),
  write: (uow, { mergeRequest }) => cancelAutoMerge(uow, mergeRequest),
});

/** The parameter `sha` is not the head of the source branch. */
export const SHA_DIFFERS = [409, 'SHA does not match HEAD of source branch: {sha}'] as const;

export const mergeMergeRequest = endpoint({
  put: `${MERGE_REQUEST}/merge`,
  summary: 'Merge a merge request',
  description:
    'Merges by the merge method of the project. Answers 405 while a check is not met and 422 on conflicts; of concurrent merges one succeeds. With `auto_merge`, a merge request that waits for its pipeline or another check is returned unmerged, and merged in the background when all checks are met. Issues that the description closes are closed in the background if the target is the default branch.',
  access: mergeAccess(),
  params: {
    merge_commit_message: describe(optional(commitMessage), 'Replaces the default message of the merge commit.'),
    squash_commit_message: describe(
      optional(commitMessage),
      'Replaces the default message of the squash commit, which is the title.',
    ),
    squash: describe(optional(boolean), 'Replaces the choice of the merge request, and is stored in it.'),
    should_remove_source_branch: describe(
      optional(boolean),
      'Whether to delete the source branch; default and protected branches are never deleted.',
    ),
    sha: describe(optional(refName), 'The merge fails unless this is the head of the source branch.'),
    auto_merge: describe(optional(boolean), 'Merges when all checks are met, if there is a check to wait for.'),
    merge_when_pipeline_succeeds: describe(optional(boolean), 'Deprecated: use `auto_merge`.'),
  },
  errors: {
    notFound: NOT_FOUND,
    readOnly: REPOSITORY_READ_ONLY,
    notMergeable: [405, '405 Method Not Allowed'],
    mergeInProgress: [405, '405 Method Not Allowed'],
    conflict: [422, 'Branch cannot be merged'],
    branchesMoved: [422, 'Branch cannot be merged'],
    shaDiffers: SHA_DIFFERS,
  },
  activity: ['pushed to branch', 'deleted branch', 'merged MergeRequest', 'state merged', 'note auto_merge'],
  response: ok(MergeRequest),
  handle: ({ project, mergeRequest, caller, params }, services) =>
    mergeNowOrWhenReady(services, caller, project, mergeRequest, params),
});

const MergeRef = entity('MergeRef', { commit_id: Type.String() });

export const getMergeRef = endpoint({
  get: `${MERGE_REQUEST}/merge_ref`,
  summary: 'Get the merge ref of a merge request',
  description:
    'Returns a commit that merges the source branch into the target branch, without moving a branch. Repeated calls return the same commit until one of the branches moves.',
  access: mergeRequestCodeAccess(),
  errors: { notMergeable: [400, 'Merge request is not mergeable'] },
  response: ok(MergeRef),
  handle: ({ project, mergeRequest }, services) => createMergeRef(services, project, mergeRequest),
});

const Rebase = entity('MergeRequestRebase', { rebase_in_progress: Type.Boolean() });

/** Describes the permission checks of `startRebase` in the API documentation. */
const REBASE_PERMISSION_LABEL = 'project:read_merge_request, push and force push to the source branch';

/** contract/planning.md §3.8 "Rebase" */
export const rebaseMergeRequest = endpoint({
  put: `${MERGE_REQUEST}/rebase`,
  summary: 'Rebase a merge request',
  description:
    'Replays the commits onto the target branch in the background and then moves the source branch, as a push of the caller. Poll `rebase_in_progress` of the merge request until it is false. On conflicts, the branch stays as it is and `merge_error` has the reason. Answers 409 if the merge request is not open or a rebase is in progress.',
  // `startRebase` checks the permissions, because each failure has an error text of its own.
  access: authorizedMergeRequestAccess(() => {}).withLabel(REBASE_PERMISSION_LABEL),
  params: { skip_ci: describe(optional(boolean, false), 'Creates no pipeline for the rebased commits.') },
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

export const subscribeToMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/subscribe`,
  summary: 'Subscribe to a merge request',
  description: 'The caller is notified of changes to the merge request. Answers 304 if they are subscribed already.',
  access: updateMergeRequestAccess(),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(MergeRequest),
  write: (uow, { mergeRequest }) => updateSubscription(uow, MERGE_REQUESTS, mergeRequest, true),
});

export const unsubscribeFromMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/unsubscribe`,
  summary: 'Unsubscribe from a merge request',
  description:
    'The caller is no longer notified of changes to the merge request, unless they are mentioned. Answers 304 if they are not subscribed.',
  access: updateMergeRequestAccess(),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(MergeRequest),
  write: (uow, { mergeRequest }) => updateSubscription(uow, MERGE_REQUESTS, mergeRequest, false),
});

export const {
  estimate: estimateMergeRequest,
  resetEstimate: resetMergeRequestEstimate,
  spend: addMergeRequestTime,
  resetSpent: resetMergeRequestTime,
  read: getMergeRequestTimeStats,
} = createTimeTrackingEndpoints({
  path: MERGE_REQUEST,
  nounWithArticle: 'a merge request',
  updateAccess: () =>
    updateMergeRequestAccess().map(({ mergeRequest, caller }) => ({
      noteable: { type: 'MergeRequest', id: mergeRequest.id },
      caller,
    })),
  readAccess: () => readMergeRequestAccess().map(({ mergeRequest, caller }) => ({ noteable: mergeRequest, caller })),
});

export * from './diffs/endpoints.ts';
export * from './listing/commit-endpoints.ts';
export * from './listing/endpoints.ts';
export * from './listing/issue-endpoints.ts';
