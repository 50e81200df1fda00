import { importMergeRequest, mergeRequestsLockKey } from '#api/planning/merge-requests/index.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { refName, shortText } from '#http/parameters/texts.ts';
import { boolean, dateTime, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';
import {
  createNotesRelation,
  labelTitles,
  numberedFields,
  timestampFields,
  toTimestamps,
  toTitleAndUrl,
} from './shared-fields.ts';
import { mapUserIds, sourceUser, sourceUsers, toAttributedText } from './users.ts';

/** A full commit id. */
const commitId: ParameterType<string> = {
  ...refName,
  read(raw, name, problems) {
    const id = refName.read(raw, name, problems);
    return id === null || /^[0-9a-f]{40}$/.test(id) ? id : problems.addInvalid(name);
  },
};

/** Merge requests with their notes; the repository import has fetched their head commits. */
export const mergeRequests = declareRelation({
  name: 'merge_requests',
  kind: 'merge_request',
  isInStats: true,
  list: { project: ({ id }) => `/projects/${id}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc` },
  lock: ({ destination }) => mergeRequestsLockKey(destination.project!),
  fields: {
    ...numberedFields,
    ...timestampFields,
    state: required(oneOf('opened', 'closed', 'merged', 'locked')),
    source_branch: required(refName),
    target_branch: required(refName),
    sha: optional(commitId),
    diff_refs: optional(object({ base_sha: optional(commitId), start_sha: optional(commitId) })),
    merge_commit_sha: optional(commitId),
    squash_commit_sha: optional(commitId),
    merged_at: optional(dateTime),
    merged_by: optional(sourceUser),
    merge_user: optional(sourceUser),
    closed_at: optional(dateTime),
    closed_by: optional(sourceUser),
    draft: optional(boolean, false),
    squash: optional(boolean, false),
    discussion_locked: optional(boolean),
    labels: labelTitles,
    milestone: optional(object({ title: required(shortText) })),
    author: optional(sourceUser),
    assignees: sourceUsers,
    reviewers: sourceUsers,
  },
  referencedUsers: ({ author, assignees, reviewers, closed_by, merged_by, merge_user }) => [
    ...[author, closed_by, merged_by, merge_user],
    ...[...assignees, ...reviewers],
  ],
  toTitleAndUrl,
  async store(uow, { destination }, mergeRequest, users) {
    const { iid, state, source_branch, target_branch, draft, squash, labels, diff_refs } = mergeRequest;
    const { author_id, text: description } = toAttributedText(
      uow.actor,
      users,
      mergeRequest.author,
      mergeRequest.description,
    );
    const timestamps = toTimestamps(mergeRequest);
    const [isMerged, isClosed] = [state === 'merged', state === 'closed'];
    const result = await importMergeRequest(uow, destination.project!, {
      ...{
        iid,
        title: mergeRequest.title,
        description,
        author_id,
        state,
        draft,
        source_branch,
        target_branch,
        squash,
        labels,
      },
      ...timestamps,
      // A merge request without commits has no `sha`.
      comparison: {
        head: mergeRequest.sha ?? ZERO_ID,
        base: diff_refs?.base_sha ?? null,
        start: diff_refs?.start_sha ?? null,
      },
      closed_at: isClosed ? (mergeRequest.closed_at ?? timestamps.updated_at) : null,
      closed_by_id: isClosed ? users.getLocalUserId(mergeRequest.closed_by) : null,
      merged_at: isMerged ? (mergeRequest.merged_at ?? timestamps.updated_at) : null,
      merged_by_id: isMerged ? users.getLocalUserId(mergeRequest.merge_user ?? mergeRequest.merged_by) : null,
      merge_commit_sha: mergeRequest.merge_commit_sha ?? null,
      squash_commit_sha: mergeRequest.squash_commit_sha ?? null,
      discussion_locked: mergeRequest.discussion_locked ?? null,
      assignees: mapUserIds(users, mergeRequest.assignees),
      reviewers: mapUserIds(users, mergeRequest.reviewers),
      milestone: mergeRequest.milestone?.title ?? null,
    });
    return isFailure(result) ? result : result.id;
  },
  children: [createNotesRelation('MergeRequest', 'merge_requests')],
});
