import type { Issue } from '../../../access/issues.ts';
import type { Act } from '../../../facts/act.ts';
import {
  assigneesChanged,
  confidentialityChanged,
  DESCRIPTION_CHANGED,
  dueDateChanged,
  lockChanged,
  type SystemText,
  titleChanged,
} from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { usersById } from '../../identity/users/index.ts';

/** What is written of changes of issues: activity, the histories of state and milestone, and notes of all else. */

/** An issue at one moment, with the ids of its assignees. */
export interface Moment extends Issue {
  readonly assignees: readonly number[];
}

/** As a resource that has histories of its own. */
export const resourceOf = ({ id }: Pick<Issue, 'id'>) => ({ type: 'Issue', id }) as const;

export async function recordNewIssue(act: Act<SignedIn>, issue: Issue): Promise<void> {
  await act.record({ ...activityOf(act, issue), action: 'created' });
  await recordMilestone(act, null, issue);
}

/** All that differs between two moments. */
export async function recordChange(act: Act<SignedIn>, before: Moment, after: Moment): Promise<void> {
  for (const text of await notesOf(act, before, after)) await act.record({ noteOn: resourceOf(after), text });
  await recordMilestone(act, before.milestone_id, after);
  if (before.state !== after.state) await recordState(act, after);
}

/** It has been closed or opened again. */
export async function recordState(act: Act<SignedIn>, issue: Issue): Promise<void> {
  const { state } = issue;
  await act.record({ stateOf: resourceOf(issue), state });
  await act.record({ ...activityOf(act, issue), action: state === 'closed' ? 'closed' : 'reopened' });
}

function activityOf(act: Act<SignedIn>, { project_id: projectId, id, iid }: Issue) {
  return { projectId, authorId: act.by.user.id, target: { type: 'Issue', id, iid } } as const;
}

async function recordMilestone(act: Act, before: number | null, issue: Issue): Promise<void> {
  const { milestone_id: now, state } = issue;
  const milestoneId = now ?? before;
  if (before === now || milestoneId === null) return;
  const change = now === null ? 'remove' : 'add';
  await act.record({ milestoneOf: resourceOf(issue), milestoneId, change, state });
}

async function notesOf(act: Act, before: Moment, after: Moment): Promise<SystemText[]> {
  const texts: SystemText[] = [];
  if (before.title !== after.title) texts.push(titleChanged(before.title, after.title));
  if (before.description !== after.description) texts.push(DESCRIPTION_CHANGED);
  if (before.confidential !== after.confidential) texts.push(confidentialityChanged('issue', after.confidential));
  if (before.due_date !== after.due_date) texts.push(dueDateChanged(after.due_date));
  // Who has never locked it unlocks nothing.
  const locked = after.discussion_locked === true;
  if ((before.discussion_locked === true) !== locked) texts.push(lockChanged('issue', locked));
  return [...texts, ...(await assignmentsOf(act, before, after))];
}

async function assignmentsOf(act: Act, { assignees: before }: Moment, { assignees: after }: Moment) {
  const come = after.filter((id) => !before.includes(id));
  const gone = before.filter((id) => !after.includes(id));
  if (come.length + gone.length === 0) return [];
  const users = await usersById(act, [...come, ...gone]);
  const names = (ids: readonly number[]) => ids.flatMap((id) => users.get(id)?.username ?? []);
  return [assigneesChanged(names(come), names(gone))];
}
