import { sql } from 'kysely';
import type { SignedInCaller } from '#authentication/caller.ts';
import {
  filterMergeRequestReaders,
  findMergeRequest,
  findMergeRequests,
  type MergeRequest,
} from '#authorization/merge-requests.ts';
import { isInIds } from '#database/dialect.ts';
import type { MergeRequestState } from '#database/schema.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isValidBranchName } from '#git/refs/refs.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import {
  buildTextColumns,
  deleteIssuable,
  IMPORTED_VALUES,
  type ImportedState,
  insertImportedLabels,
  type LabelInput,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  resolveAssignees,
  resolveLabels,
  resolveMilestone,
  resolveUsers,
  updateAssignees,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { findMilestoneByTitle } from '../milestones/index.ts';
import { updateClosingIids } from './closing-issues/closing-keywords.ts';
import { enqueueHeadRefSync } from './heads/head-refs.ts';
import { enqueueMergeCheck } from './merging/check-mergeability.ts';
import type { updateMergeRequestParams } from './parameters.ts';
import { findOpenMergeRequestByBranches, insertMergeRequest, insertVersion, type NewMergeRequestRow } from './store.ts';
import type { VersionComparison } from './versions.ts';

/** A new merge request with its iid and relations. */
interface NewMergeRequestWithRelations extends Omit<NewMergeRequestRow, 'head_sha' | 'title_key' | 'description_key'> {
  readonly description: string | null;
  /** Ids of labels, assignees and reviewers. */
  readonly labels: readonly number[];
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly comparison: VersionComparison;
}

/** Inserts a merge request with its relations, without activity. The caller must hold the lock `mergeRequestsLockKey`. */
export async function insertMergeRequestWithRelations(
  uow: UnitOfWork,
  { labels, assignees, reviewers, comparison, ...row }: NewMergeRequestWithRelations,
): Promise<MergeRequest> {
  const { project_id, iid, description } = row;
  const id = await insertMergeRequest(uow, { ...row, ...buildTextColumns(row), head_sha: comparison.head });
  await insertVersion(uow, { id, ...comparison });
  if (row.state === 'opened') await enqueueMergeCheck(uow, project_id);
  await enqueueHeadRefSync(uow, project_id, [iid]);
  await (row.imported_from === undefined
    ? updateLabels(uow, MERGE_REQUESTS, id, { before: [], after: labels })
    : insertImportedLabels(uow, MERGE_REQUESTS, id, labels));
  await updateAssignees(uow, MERGE_REQUESTS, id, { before: [], after: assignees });
  await updateAssignees(uow, MERGE_REQUESTS_BY_REVIEWER, id, { before: [], after: reviewers });
  await updateClosingIids(uow, { id, project_id, description });
  return (await findMergeRequests(uow, uow.actor, [id]))[0] as MergeRequest;
}

/** A merge request exported from another server, with users of this server. */
interface MergeRequestImport
  extends ImportedState<MergeRequestState>,
    Pick<
      MergeRequest,
      | 'iid'
      | 'title'
      | 'description'
      | 'author_id'
      | 'draft'
      | 'source_branch'
      | 'target_branch'
      | 'merged_at'
      | 'merged_by_id'
      | 'merge_commit_sha'
      | 'squash_commit_sha'
      | 'squash'
      | 'discussion_locked'
    > {
  readonly comparison: VersionComparison;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  /** Titles of labels. */
  readonly labels: readonly string[];
  /** Title of the milestone. */
  readonly milestone: string | null;
}

/**
 * Imports a merge request with its original iid, whether or not its branches exist, without notifications (contract/operations.md
 * §1.4). The usual rules apply: the milestone is in scope, the users can see the merge request, and no other open merge request has the
 * same branches.
 */
export async function importMergeRequest(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  imported: MergeRequestImport,
): Promise<MergeRequest | Failure<'invalid'>> {
  const { labels, milestone, assignees, reviewers, ...row } = imported;
  const validateBranch = (name: string) => (isValidBranchName(name) ? [] : ['is invalid']);
  const errors = compactFieldErrors({
    title: validateTitle(row.title),
    source_branch: validateBranch(row.source_branch),
    target_branch: validateBranch(row.target_branch),
  });
  if (errors) return invalid(errors);
  if ((await findMergeRequest(uow, uow.actor, project.id, row.iid)) !== null) return IID_TAKEN;
  const openMergeRequest =
    row.state === 'opened' &&
    (await findOpenMergeRequestByBranches(uow, project.id, row.source_branch, row.target_branch));
  if (openMergeRequest) return invalid({ source_branch: [`is that of !${openMergeRequest.iid} already`] });
  await reserveIid(uow, { projectId: project.id }, 'merge_request', row.iid);
  const foundMilestone =
    milestone === null ? null : await findMilestoneByTitle(uow, await ancestorsAndSelf(uow, { project }), milestone);
  const filterReaders = (ids: readonly number[]) => filterMergeRequestReaders(uow, project, ids);
  return insertMergeRequestWithRelations(uow, {
    ...row,
    ...IMPORTED_VALUES,
    project_id: project.id,
    // The commit of the target branch right after the merge.
    merged_sha: row.merge_commit_sha ?? row.squash_commit_sha ?? (row.state === 'merged' ? row.comparison.head : null),
    merge_status: row.state === 'merged' ? 'can_be_merged' : 'unchecked',
    milestone_id: foundMilestone?.id ?? null,
    labels: await resolveLabels(uow, { project }, [], { labels }),
    assignees: await resolveAssignees(uow, [], assignees, filterReaders),
    reviewers: await resolveUsers([], reviewers, filterReaders),
  });
}

/** Deletes a merge request and its head refs. With `onlyIfUnchanged`, fails with `changed` if it was updated after it was read. */
export async function deleteMergeRequestRow(
  uow: UnitOfWork,
  mergeRequest: MergeRequest,
  onlyIfUnchanged: boolean,
): Promise<undefined | Failure<'notFound' | 'changed'>> {
  const deleteFailure = await deleteIssuable(uow, MERGE_REQUESTS, mergeRequest, onlyIfUnchanged);
  if (deleteFailure) return deleteFailure;
  await enqueueHeadRefSync(uow, mergeRequest.project_id, [mergeRequest.iid]);
}

/** Enqueues the deletion of the head refs of merge requests that are about to be deleted. index: merge_requests primary key */
export async function enqueueHeadRefDeletion(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
  const deletedMergeRequests = await uow
    .selectFrom('merge_requests')
    .select(['project_id', 'iid'])
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  for (const [projectId, mergeRequests] of Map.groupBy(deletedMergeRequests, ({ project_id }) => project_id)) {
    await enqueueHeadRefSync(
      uow,
      projectId,
      mergeRequests.map(({ iid }) => iid),
    );
  }
}

const DRAFT = 'draft:';

/** Returns whether a title marks a draft: it begins with `Draft:`, ignoring case. */
export function isDraft(title: string): boolean {
  return title.slice(0, DRAFT.length).toLowerCase() === DRAFT;
}

/** Lock key for opening merge requests of a project or changing their target branch. */
export const mergeRequestsLockKey = ({ id }: Project): string => `merge requests of project ${id}`;

// Metadata: labels, milestone, assignees, reviewers and other fields that need the Developer role (contract/planning.md §0 "Who may").

type MetadataInput = Partial<ParameterValues<typeof updateMergeRequestParams>>;

/** The metadata before an update; `assignees` and `reviewers` are user ids. */
interface MergeRequestMetadata
  extends Pick<
    MergeRequest,
    'discussion_locked' | 'milestone_id' | 'squash' | 'merge_after' | 'force_remove_source_branch'
  > {
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly labels: readonly { readonly id: number; readonly title: string }[];
}

/** Returns the metadata after the update. A milestone out of scope and users who cannot see the merge request are ignored. */
export async function resolveMergeRequestMetadata(
  uow: UnitOfWork,
  project: Project,
  before: MergeRequestMetadata,
  input: MetadataInput,
): Promise<Omit<MergeRequestMetadata, 'labels'> & { readonly labels: readonly number[] }> {
  const filterReaders = (ids: readonly number[]) => filterMergeRequestReaders(uow, project, ids);
  return {
    discussion_locked: input.discussion_locked === undefined ? before.discussion_locked : input.discussion_locked,
    squash: input.squash ?? before.squash,
    merge_after: input.merge_after === undefined ? before.merge_after : input.merge_after,
    force_remove_source_branch: input.remove_source_branch ?? before.force_remove_source_branch,
    milestone_id: await resolveMilestone(uow, project, before.milestone_id, input.milestone_id),
    assignees: await resolveAssignees(uow, before.assignees, getRequestedAssigneeIds(input), filterReaders),
    reviewers: await resolveUsers(before.reviewers, getRequestedReviewerIds(input), filterReaders),
    labels: await resolveLabels(uow, { project }, before.labels, input satisfies LabelInput),
  };
}

/** Returns the requested assignee ids, or null if the request has none. `[0]` clears the assignees. */
const getRequestedAssigneeIds = ({ assignee_ids, assignee_id }: MetadataInput) =>
  assignee_ids ?? (assignee_id === undefined ? null : [assignee_id ?? 0]);

/** Returns the requested reviewer ids, or null if the request has none. Null in the request clears the reviewers. */
const getRequestedReviewerIds = ({ reviewer_ids }: MetadataInput) =>
  reviewer_ids === undefined ? null : (reviewer_ids ?? []);
