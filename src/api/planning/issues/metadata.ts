import { issueReadersAmong } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type LabelWish, wishedAssignees, wishedLabels, wishedMilestone } from '../issuables/index.ts';
import { iterationInReach } from '../iterations/index.ts';
import type { issueChangeParams } from './parameters.ts';

/**
 * Labels, milestone, iteration, assignees, dates, weight and lock: what only some who write an issue may set (contract/planning.md §0
 * "Who may"). Others' are as if they had not been sent.
 */

type Sent = Partial<ParameterValues<typeof issueChangeParams>>;

/** What an issue has of it; of labels and assignees the ids. */
export interface Metadata {
  readonly due_date: string | null;
  readonly weight: number | null;
  readonly discussion_locked: boolean | null;
  readonly milestone_id: number | null;
  readonly iteration_id: number | null;
  readonly assignees: readonly number[];
  readonly labels: readonly { readonly id: number; readonly title: string }[];
}

/** As an issue that is just being filed has it. */
export const NO_METADATA: Metadata = {
  due_date: null,
  weight: null,
  discussion_locked: null,
  milestone_id: null,
  iteration_id: null,
  assignees: [],
  labels: [],
};

interface Whose {
  readonly confidential: boolean;
  readonly author_id: number;
}

/** What it becomes by what was sent. A milestone or iteration out of reach and assignees who can't see the issue change nothing. */
export async function changedMetadata(
  uow: UnitOfWork,
  project: Project,
  issue: Whose,
  before: Metadata,
  sent: Sent,
): Promise<Omit<Metadata, 'labels'> & { readonly labels: readonly number[] }> {
  const given = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  return {
    due_date: given(sent.due_date, before.due_date),
    weight: uow.tier === 'free' ? before.weight : given(sent.weight, before.weight),
    discussion_locked: given(sent.discussion_locked, before.discussion_locked),
    milestone_id: await wishedMilestone(uow, project, before.milestone_id, sent.milestone_id),
    iteration_id: await iterationOf(uow, project, before, sent),
    assignees: await wishedAssignees(uow, before.assignees, namedIn(sent), (ids) =>
      issueReadersAmong(uow, project, issue, ids),
    ),
    labels: await wishedLabels(uow, { project }, before.labels, sent satisfies LabelWish),
  };
}

const namedIn = ({ assignee_ids, assignee_id }: Sent) =>
  assignee_ids ?? (assignee_id === undefined ? null : [assignee_id ?? 0]);

async function iterationOf(uow: UnitOfWork, project: Project, before: Metadata, { iteration_id: id }: Sent) {
  if (id === undefined || uow.tier === 'free') return before.iteration_id;
  return id ? ((await iterationInReach(uow, project, id)) ?? before.iteration_id) : null;
}

/** What is wrong with a weight; on free it is ignored. */
export function weightErrors({ tier }: UnitOfWork, { weight }: Pick<Sent, 'weight'>): string[] {
  return tier !== 'free' && weight != null && weight < 0 ? ['must be greater than or equal to 0'] : [];
}
