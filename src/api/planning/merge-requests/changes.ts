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
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import {
  deleteIssuable,
  IMPORTED_VALUES,
  type ImportedState,
  insertImportedLabels,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  newTextColumns,
  resolveAssignees,
  resolveLabels,
  resolveUsers,
  updateAssignees,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { findMilestoneByTitle } from '../milestones/index.ts';
import { updateClosingIids } from './closing-issues/store.ts';
import { enqueueHeadRefUpdate } from './heads/head-refs.ts';
import { enqueueMergeCheck } from './merging/check-mergeability.ts';
import { findOpenMergeRequestByBranches, insertMergeRequest, insertVersion, type NewMergeRequestRow } from './store.ts';
import type { VersionComparison } from './versions/versions.ts';

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
  const id = await insertMergeRequest(uow, { ...row, ...newTextColumns(row), head_sha: comparison.head });
  await insertVersion(uow, { id, ...comparison });
  if (row.state === 'opened') await enqueueMergeCheck(uow, project_id);
  await enqueueHeadRefUpdate(uow, project_id, [iid]);
  await (row.imported_from === undefined
    ? updateLabels(uow, MERGE_REQUESTS, id, { before: [], after: labels })
    : insertImportedLabels(uow, MERGE_REQUESTS, id, labels));
  await updateAssignees(uow, MERGE_REQUESTS, id, { before: [], after: assignees });
  await updateAssignees(uow, MERGE_REQUESTS_BY_REVIEWER, id, { before: [], after: reviewers });
  await updateClosingIids(uow, { id, project_id, description });
  return (await findMergeRequests(uow, uow.actor, [id]))[0] as MergeRequest;
}

/** A merge request exported from another server, with users of this server. */
interface MergeRequestImport extends ImportedState<MergeRequestState> {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly draft: boolean;
  readonly source_branch: string;
  readonly target_branch: string;
  readonly comparison: VersionComparison;
  readonly merged_at: string | null;
  readonly merged_by_id: number | null;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly squash: boolean;
  readonly discussion_locked: boolean | null;
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
    // The head of the target branch after the merge.
    merged_sha: row.merge_commit_sha ?? row.squash_commit_sha ?? (row.state === 'merged' ? row.comparison.head : null),
    merge_status: row.state === 'merged' ? 'can_be_merged' : 'unchecked',
    milestone_id: foundMilestone?.id ?? null,
    labels: await resolveLabels(uow, { project }, [], { labels }),
    assignees: await resolveAssignees(uow, [], assignees, filterReaders),
    reviewers: await resolveUsers([], reviewers, filterReaders),
  });
}

/** Deletes a merge request and its head refs. With `onlyIfUnchanged`, fails with `changed` if it was updated after it was read. */
export async function deleteMergeRequestIfUnchanged(
  uow: UnitOfWork,
  mergeRequest: MergeRequest,
  onlyIfUnchanged: boolean,
): Promise<undefined | Failure<'notFound' | 'changed'>> {
  const deleteFailure = await deleteIssuable(uow, MERGE_REQUESTS, mergeRequest, onlyIfUnchanged);
  if (deleteFailure) return deleteFailure;
  await enqueueHeadRefUpdate(uow, mergeRequest.project_id, [mergeRequest.iid]);
}

/** Enqueues the deletion of the head refs of merge requests that are about to be deleted. index: merge_requests primary key */
export async function enqueueHeadRefDeletion(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
  const deletedMergeRequests = await uow
    .selectFrom('merge_requests')
    .select(['project_id', 'iid'])
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  for (const [projectId, mergeRequests] of Map.groupBy(deletedMergeRequests, ({ project_id }) => project_id)) {
    await enqueueHeadRefUpdate(
      uow,
      projectId,
      mergeRequests.map(({ iid }) => iid),
    );
  }
}
