import { importMergeRequest, mergeRequestsLockKey } from '#api/planning/merge-requests/index.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { refName, title } from '#http/parameters/texts.ts';
import { boolean, dateTime, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { notesOf } from './notes.ts';
import { relation } from './relation.ts';
import { importProblemOf, labelTitles, numbered, times, timesOf } from './shared-fields.ts';
import { asWritten, known, sourceUser, sourceUsers } from './source-users.ts';

/** The id of a commit. */
const commitId: ParameterType<string> = {
  ...refName,
  read(raw, name, problems) {
    const id = refName.read(raw, name, problems);
    return id === null || /^[0-9a-f]{40}$/.test(id) ? id : problems.addInvalid(name);
  },
};

/** Merge requests with their notes; their heads have come with the repository. */
export const mergeRequests = relation({
  name: 'merge_requests',
  kind: 'merge_request',
  counted: true,
  list: { project: ({ id }) => `/projects/${id}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc` },
  turn: ({ place }) => mergeRequestsLockKey(place.project!),
  fields: {
    ...numbered,
    ...times,
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
    milestone: optional(object({ title: required(title) })),
    author: optional(sourceUser),
    assignees: sourceUsers,
    reviewers: sourceUsers,
  },
  people: ({ author, assignees, reviewers, closed_by, merged_by, merge_user }) => [
    ...[author, closed_by, merged_by, merge_user],
    ...[...assignees, ...reviewers],
  ],
  told: importProblemOf,
  async store(uow, { place }, told, users) {
    const { iid, state, source_branch, target_branch, draft, squash, labels, diff_refs } = told;
    const { author_id, text: description } = asWritten(uow.actor, users, told.author, told.description);
    const moments = timesOf(told);
    const [isMerged, isClosed] = [state === 'merged', state === 'closed'];
    const made = await importMergeRequest(uow, place.project!, {
      ...{ iid, title: told.title, description, author_id, state, draft, source_branch, target_branch, squash, labels },
      ...moments,
      // Of one that never had a commit the source has no head.
      compared: { head: told.sha ?? ZERO_ID, base: diff_refs?.base_sha ?? null, start: diff_refs?.start_sha ?? null },
      closed_at: isClosed ? (told.closed_at ?? moments.updated_at) : null,
      closed_by_id: isClosed ? users.of(told.closed_by) : null,
      merged_at: isMerged ? (told.merged_at ?? moments.updated_at) : null,
      merged_by_id: isMerged ? users.of(told.merge_user ?? told.merged_by) : null,
      merge_commit_sha: told.merge_commit_sha ?? null,
      squash_commit_sha: told.squash_commit_sha ?? null,
      discussion_locked: told.discussion_locked ?? null,
      assignees: known(users, told.assignees),
      reviewers: known(users, told.reviewers),
      milestone: told.milestone?.title ?? null,
    });
    return isFailure(made) ? made : made.id;
  },
  children: [notesOf('MergeRequest', 'merge_requests')],
});
