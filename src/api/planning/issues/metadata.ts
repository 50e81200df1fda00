import { filterIssueReaders } from '#authorization/issues.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type LabelInput, resolveAssignees, resolveLabels, resolveMilestone } from '../issuables/index.ts';
import { findIterationIdForProject } from '../iterations/index.ts';
import type { updateIssueParams } from './parameters.ts';

// Metadata: labels, milestone, iteration, assignees, dates, weight and discussion lock. Only some callers may set it
// (contract/planning.md §0 "Who may"); it is ignored in requests of others.

type IssueMetadataInput = Partial<ParameterValues<typeof updateIssueParams>>;

/** Metadata of an issue; `assignees` are user ids. */
export interface IssueMetadata
  extends Columns<'issues', 'due_date' | 'weight' | 'discussion_locked' | 'milestone_id' | 'iteration_id'> {
  readonly assignees: readonly number[];
  readonly labels: readonly { readonly id: number; readonly title: string }[];
}

/** Metadata of a new issue. */
export const NO_METADATA: IssueMetadata = {
  due_date: null,
  weight: null,
  discussion_locked: null,
  milestone_id: null,
  iteration_id: null,
  assignees: [],
  labels: [],
};

type IssueVisibility = Columns<'issues', 'confidential' | 'author_id'>;

/** Returns the metadata after the update. A milestone or iteration out of scope and assignees who cannot see the issue are ignored. */
export async function resolveIssueMetadata(
  uow: UnitOfWork,
  project: Project,
  issue: IssueVisibility,
  before: IssueMetadata,
  input: IssueMetadataInput,
): Promise<Omit<IssueMetadata, 'labels'> & { readonly labels: readonly number[] }> {
  const valueOr = <T>(value: T | undefined, fallback: T): T => (value === undefined ? fallback : value);
  return {
    due_date: valueOr(input.due_date, before.due_date),
    weight: uow.tier === 'free' ? before.weight : valueOr(input.weight, before.weight),
    discussion_locked: valueOr(input.discussion_locked, before.discussion_locked),
    milestone_id: await resolveMilestone(uow, project, before.milestone_id, input.milestone_id),
    iteration_id: await resolveIteration(uow, project, before, input),
    assignees: await resolveAssignees(uow, before.assignees, getRequestedAssigneeIds(input), (ids) =>
      filterIssueReaders(uow, project, issue, ids),
    ),
    labels: await resolveLabels(uow, { project }, before.labels, input satisfies LabelInput),
  };
}

/** Returns the requested assignee ids, or null if the request has none. `[0]` clears the assignees. */
const getRequestedAssigneeIds = ({ assignee_ids, assignee_id }: IssueMetadataInput) =>
  assignee_ids ?? (assignee_id === undefined ? null : [assignee_id ?? 0]);

/** Returns the iteration after the update. An iteration out of scope keeps the current one; 0 and null clear it. */
async function resolveIteration(
  uow: UnitOfWork,
  project: Project,
  before: IssueMetadata,
  { iteration_id: id }: IssueMetadataInput,
) {
  if (id === undefined || uow.tier === 'free') return before.iteration_id;
  return id ? ((await findIterationIdForProject(uow, project, id)) ?? before.iteration_id) : null;
}

/** Returns the validation errors of a weight, which is ignored on the free tier. */
export function validateWeight({ tier }: UnitOfWork, { weight }: Pick<IssueMetadataInput, 'weight'>): string[] {
  return tier !== 'free' && weight != null && weight < 0 ? ['must be greater than or equal to 0'] : [];
}
