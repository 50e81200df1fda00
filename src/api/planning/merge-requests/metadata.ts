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

/** Labels, milestone, assignees, reviewers and other fields that need the Developer role (contract/planning.md §0 "Who may"). */

type MetadataInput = Partial<ParameterValues<typeof updateMergeRequestParams>>;

/** Metadata of a merge request; assignees and reviewers are ids. */
export interface MergeRequestMetadata {
  readonly discussion_locked: boolean | null;
  readonly milestone_id: number | null;
  readonly squash: boolean;
  readonly force_remove_source_branch: boolean | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly labels: readonly { readonly id: number; readonly title: string }[];
}

/** Returns the metadata after the change. A milestone out of scope and users who cannot see the merge request are ignored. */
export async function resolveMergeRequestMetadata(
  uow: UnitOfWork,
  project: Project,
  before: MergeRequestMetadata,
  input: MetadataInput,
): Promise<Omit<MergeRequestMetadata, 'labels'> & { readonly labels: readonly number[] }> {
  const readers = (ids: readonly number[]) => filterMergeRequestReaders(uow, project, ids);
  return {
    discussion_locked: input.discussion_locked === undefined ? before.discussion_locked : input.discussion_locked,
    squash: input.squash ?? before.squash,
    force_remove_source_branch: input.remove_source_branch ?? before.force_remove_source_branch,
    milestone_id: await resolveMilestone(uow, project, before.milestone_id, input.milestone_id),
    assignees: await resolveAssignees(uow, before.assignees, requestedAssignees(input), readers),
    reviewers: await resolveUsers(before.reviewers, requestedReviewers(input), readers),
    labels: await resolveLabels(uow, { project }, before.labels, input satisfies LabelInput),
  };
}

const requestedAssignees = ({ assignee_ids, assignee_id }: MetadataInput) =>
  assignee_ids ?? (assignee_id === undefined ? null : [assignee_id ?? 0]);

/** Null clears the reviewers, like an empty list. */
const requestedReviewers = ({ reviewer_ids }: MetadataInput) =>
  reviewer_ids === undefined ? null : (reviewer_ids ?? []);
