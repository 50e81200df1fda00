import { mergeRequestReadersAmong } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type LabelWish, wishedAssignees, wishedLabels, wishedMilestone, wishedUsers } from '../issuables/index.ts';
import type { mergeRequestChangeParams } from './parameters.ts';

/** Labels, milestone, assignees, reviewers and the rest that Developers set (contract/planning.md §0 "Who may"). */

type Sent = Partial<ParameterValues<typeof mergeRequestChangeParams>>;

/** What a merge request has of it; of labels, assignees and reviewers the ids. */
export interface Metadata {
  readonly discussion_locked: boolean | null;
  readonly milestone_id: number | null;
  readonly squash: boolean;
  readonly force_remove_source_branch: boolean | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly labels: readonly { readonly id: number; readonly title: string }[];
}

/** What it becomes by what was sent. A milestone out of reach and users who can't see it change nothing. */
export async function changedMetadata(
  uow: UnitOfWork,
  project: Project,
  before: Metadata,
  sent: Sent,
): Promise<Omit<Metadata, 'labels'> & { readonly labels: readonly number[] }> {
  const readers = (ids: readonly number[]) => mergeRequestReadersAmong(uow, project, ids);
  return {
    discussion_locked: sent.discussion_locked === undefined ? before.discussion_locked : sent.discussion_locked,
    squash: sent.squash ?? before.squash,
    force_remove_source_branch: sent.remove_source_branch ?? before.force_remove_source_branch,
    milestone_id: await wishedMilestone(uow, project, before.milestone_id, sent.milestone_id),
    assignees: await wishedAssignees(uow, before.assignees, assigneesIn(sent), readers),
    reviewers: await wishedUsers(before.reviewers, reviewersIn(sent), readers),
    labels: await wishedLabels(uow, { project }, before.labels, sent satisfies LabelWish),
  };
}

const assigneesIn = ({ assignee_ids, assignee_id }: Sent) =>
  assignee_ids ?? (assignee_id === undefined ? null : [assignee_id ?? 0]);

/** Sent as null they are cleared, as when nobody is named. */
const reviewersIn = ({ reviewer_ids }: Sent) => (reviewer_ids === undefined ? null : (reviewer_ids ?? []));
