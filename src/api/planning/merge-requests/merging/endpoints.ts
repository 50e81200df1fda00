import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { NOT_FOUND, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { commitMessage, refName } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { mergeAccess, mergeRequestCodeAccess } from '../code-access.ts';
import { MergeRef } from '../diffs/entities.ts';
import { MergeRequest } from '../entities.ts';
import { mergeNowOrWhenReady } from './merge.ts';
import { createMergeRef } from './merge-ref.ts';

/** Merging, and the merge ref. */

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

/** The parameter `sha` is not the head of the source branch. */
export const SHA_DIFFERS = [409, 'SHA does not match HEAD of source branch: {sha}'] as const;

export const mergeMergeRequest = endpoint({
  put: `${MERGE_REQUEST}/merge`,
  summary: 'Merge a merge request',
  access: mergeAccess(),
  params: {
    merge_commit_message: optional(commitMessage),
    squash_commit_message: optional(commitMessage),
    squash: optional(boolean),
    should_remove_source_branch: optional(boolean),
    sha: optional(refName),
    auto_merge: optional(boolean),
    merge_when_pipeline_succeeds: optional(boolean),
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

export const getMergeRef = endpoint({
  get: `${MERGE_REQUEST}/merge_ref`,
  summary: 'Get the merge ref of a merge request',
  access: mergeRequestCodeAccess(),
  errors: { notMergeable: [400, 'Merge request is not mergeable'] },
  response: ok(MergeRef),
  handle: ({ project, mergeRequest }, services) => createMergeRef(services, project, mergeRequest),
});
