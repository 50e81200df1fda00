import { issueReadersAmong } from '../../../access/issues.ts';
import type { Project } from '../../../access/projects.ts';
import type { Act } from '../../../facts/act.ts';
import type { ParameterValues } from '../../../http/parameters/declarations.ts';
import { type LabelWish, milestoneInReach, wishedLabels } from '../issuables/index.ts';
import type { issueChangeParams } from './parameters.ts';

/**
 * Labels, milestone, assignees, dates, weight and lock: what only some who write an issue may set (contract/planning.md §0
 * "Who may"). Others' are as if they had not been sent.
 */

type Sent = Partial<ParameterValues<typeof issueChangeParams>>;

/** What an issue has of it; of labels and assignees the ids. */
export interface Metadata {
  readonly due_date: string | null;
  readonly weight: number | null;
  readonly discussion_locked: boolean | null;
  readonly milestone_id: number | null;
  readonly assignees: readonly number[];
  readonly labels: readonly { readonly id: number; readonly title: string }[];
}

/** As an issue that is just being filed has it. */
export const NO_METADATA: Metadata = {
  due_date: null,
  weight: null,
  discussion_locked: null,
  milestone_id: null,
  assignees: [],
  labels: [],
};

interface Whose {
  readonly confidential: boolean;
  readonly author_id: number;
}

/** What it becomes by what was sent. A milestone out of reach and assignees who can't see the issue change nothing. */
export async function changedMetadata(
  act: Act,
  project: Project,
  issue: Whose,
  before: Metadata,
  sent: Sent,
): Promise<Omit<Metadata, 'labels'> & { readonly labels: readonly number[] }> {
  const given = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  return {
    due_date: given(sent.due_date, before.due_date),
    weight: act.tier === 'free' ? before.weight : given(sent.weight, before.weight),
    discussion_locked: given(sent.discussion_locked, before.discussion_locked),
    milestone_id: await milestoneOf(act, project, before, sent),
    assignees: await assigneesWished(act, project, issue, before, sent),
    labels: await wishedLabels(act, { project }, before.labels, sent satisfies LabelWish),
  };
}

async function milestoneOf(act: Act, project: Project, before: Metadata, { milestone_id: id }: Sent) {
  if (id === undefined) return before.milestone_id;
  return id ? ((await milestoneInReach(act, project, id)) ?? before.milestone_id) : null;
}

async function assigneesWished(
  act: Act,
  project: Project,
  issue: Whose,
  { assignees: before }: Metadata,
  { assignee_ids, assignee_id }: Sent,
): Promise<readonly number[]> {
  const wanted = assignee_ids ?? (assignee_id === undefined ? null : [assignee_id ?? 0]);
  if (wanted === null) return before;
  const come = wanted.filter((id) => id > 0 && !before.includes(id));
  const readers = new Set(await issueReadersAmong(act, project, issue, come));
  const now = [...new Set(wanted)].filter((id) => before.includes(id) || readers.has(id));
  if (now.length === 0 && wanted.some((id) => id > 0)) return before;
  return act.tier === 'free' ? now.slice(0, 1) : now;
}

/** What is wrong with a weight; on free it is ignored. */
export function weightErrors({ tier }: Act, { weight }: Pick<Sent, 'weight'>): string[] {
  return tier !== 'free' && weight != null && weight < 0 ? ['must be greater than or equal to 0'] : [];
}
