import { filterMergeRequestReaders } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import {
  type LabelInput,
  resolveAssignees,
  resolveLabels,
  resolveMilestone,
  resolveUsers,
} from '../issuables/index.ts';
import type { updateMergeRequestParams } from './parameters.ts';

/** Metadata: labels, milestone, assignees, reviewers and other fields that need the Developer role (contract/planning.md §0 "Who may"). */

type MetadataInput = Partial<ParameterValues<typeof updateMergeRequestParams>>;

/** Metadata of a merge request; `assignees` and `reviewers` are user ids. */
export interface MergeRequestMetadata {
  readonly discussion_locked: boolean | null;
  readonly milestone_id: number | null;
  readonly squash: boolean;
  readonly merge_after: string | null;
  readonly force_remove_source_branch: boolean | null;
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
