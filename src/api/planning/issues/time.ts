import { findIssues, type Issue } from '../../../access/issues.ts';
import type { Act } from '../../../facts/act.ts';
import { estimateChanged, type SystemText, TIME_SPENT_REMOVED, timeSpent } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { fieldErrors, invalid, type Refused, refused } from '../../../refused.ts';
import { humanDuration, readDuration } from '../issuables/index.ts';
import { resourceOf } from './history.ts';
import { updateIssueRow } from './store.ts';

/** How long an issue should take, and how long it has taken (contract/planning.md §3.6). Each change is told in a note. */

/** Sets the estimate to a length of time, `3h30m`. */
export async function estimate(
  act: Act<SignedIn>,
  issue: Issue,
  duration: string,
): Promise<Issue | Refused<'estimateInvalid' | 'gone'>> {
  const seconds = readDuration(duration);
  if (seconds === null || seconds < 0) return refused('estimateInvalid');
  return estimated(act, issue, seconds);
}

export const resetEstimate = (act: Act<SignedIn>, issue: Issue) => estimated(act, issue, 0);

async function estimated(act: Act<SignedIn>, issue: Issue, seconds: number): Promise<Issue | Refused<'gone'>> {
  const now = await asItStands(act, issue);
  if (now === null) return refused('gone');
  if (now.time_estimate === seconds) return now;
  return changed(act, now, { time_estimate: seconds }, estimateChanged(humanDuration(seconds)));
}

/** Adds a length of time to what has been spent, or takes one that begins with a minus from it. */
export async function spend(
  act: Act<SignedIn>,
  issue: Issue,
  duration: string,
): Promise<Issue | Refused<'spentInvalid' | 'invalid' | 'gone'>> {
  const seconds = readDuration(duration);
  if (seconds === null || seconds === 0) return refused('spentInvalid');
  const now = await asItStands(act, issue);
  if (now === null) return refused('gone');
  const total = now.total_time_spent + seconds;
  const errors = fieldErrors({ base: total < 0 ? ['Time to subtract exceeds the total time spent'] : [] });
  if (errors) return invalid(errors);
  const told = timeSpent(humanDuration(Math.abs(seconds)) ?? '', act.today, seconds < 0);
  return changed(act, now, { total_time_spent: total }, told);
}

export async function resetSpent(act: Act<SignedIn>, issue: Issue): Promise<Issue | Refused<'gone'>> {
  const now = await asItStands(act, issue);
  if (now === null) return refused('gone');
  return now.total_time_spent === 0 ? now : changed(act, now, { total_time_spent: 0 }, TIME_SPENT_REMOVED);
}

async function asItStands(act: Act<SignedIn>, { id }: Issue): Promise<Issue | null> {
  return (await findIssues(act, act.by, [id]))[0] ?? null;
}

type Times = Partial<Pick<Issue, 'time_estimate' | 'total_time_spent'>>;

async function changed(act: Act<SignedIn>, issue: Issue, times: Times, text: SystemText): Promise<Issue> {
  await updateIssueRow(act, issue.id, { ...times, updated_at: act.now });
  await act.record({ noteOn: resourceOf(issue), text });
  return { ...issue, ...times, updated_at: act.now };
}
