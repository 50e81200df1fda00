import type { SignedInCaller } from '#authentication/caller.ts';
import { findMergeRequest, type MergeRequest, mergeRequestReadersAmong } from '#authorization/merge-requests.ts';
import type { MergeRequestState } from '#database/tables/merge-requests.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { validBranchName } from '#git/refs/refs.ts';
import { type Failure, fieldErrors, invalid } from '#runtime/failure.ts';
import { IMPORTED, type Past, titleErrors, wishedAssignees, wishedLabels, wishedUsers } from '../issuables/index.ts';
import { findMilestoneTitled } from '../milestones/index.ts';
import { addMergeRequest } from './insert.ts';
import { openFor } from './store.ts';
import type { Span } from './versions/versions.ts';

/** A merge request as another server tells of it, with people of this one. */
export interface ImportedMergeRequest extends Past<MergeRequestState> {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly draft: boolean;
  readonly source_branch: string;
  readonly target_branch: string;
  readonly compared: Span;
  readonly merged_at: string | null;
  readonly merged_by_id: number | null;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly squash: boolean;
  readonly discussion_locked: boolean | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  /** By their titles. */
  readonly labels: readonly string[];
  readonly milestone: string | null;
}

/**
 * A merge request of another server, with the number that it has there, whether its branches are here or not; nobody hears of it
 * (contract/operations.md §1.4). What it has is of this project as if it had been made here: a milestone in reach, people who can
 * see it, and of two branches one open merge request.
 */
export async function importMergeRequest(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  imported: ImportedMergeRequest,
): Promise<MergeRequest | Failure<'invalid'>> {
  const { labels, milestone, assignees, reviewers, ...row } = imported;
  const branchErrors = (name: string) => (validBranchName(name) ? [] : ['is invalid']);
  const errors = fieldErrors({
    title: titleErrors(row.title),
    source_branch: branchErrors(row.source_branch),
    target_branch: branchErrors(row.target_branch),
  });
  if (errors) return invalid(errors);
  if ((await findMergeRequest(uow, uow.actor, project.id, row.iid)) !== null) return IID_TAKEN;
  const other = row.state === 'opened' && (await openFor(uow, project.id, row.source_branch, row.target_branch));
  if (other) return invalid({ source_branch: [`is that of !${other.iid} already`] });
  await reserveIid(uow, { projectId: project.id }, 'merge_request', row.iid);
  const titled = milestone === null ? null : await findMilestoneTitled(uow, await reachOf(uow, { project }), milestone);
  const readers = (ids: readonly number[]) => mergeRequestReadersAmong(uow, project, ids);
  return addMergeRequest(uow, {
    ...row,
    ...IMPORTED,
    project_id: project.id,
    // What the target branch became by the merge.
    merged_sha: row.merge_commit_sha ?? row.squash_commit_sha ?? (row.state === 'merged' ? row.compared.head : null),
    merge_status: row.state === 'merged' ? 'can_be_merged' : 'unchecked',
    milestone_id: titled?.id ?? null,
    labels: await wishedLabels(uow, { project }, [], { labels }),
    assignees: await wishedAssignees(uow, [], assignees, readers),
    reviewers: await wishedUsers([], reviewers, readers),
  });
}
