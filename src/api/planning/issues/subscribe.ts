import type { Issue } from '../../../access/issues.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { ISSUES, isSubscribedTo, saySubscribed } from '../issuables/index.ts';

/** Tells the caller of the issue from now on, or no longer; refused when it is so already. */
export async function subscribeTo(
  act: Act<SignedIn>,
  issue: Issue,
  subscribed: boolean,
): Promise<Issue | Refused<'already'>> {
  const is = (await isSubscribedTo(act, ISSUES, act.by, [issue])).has(issue.id);
  if (is === subscribed) return refused('already');
  await saySubscribed(act, ISSUES, { id: issue.id, userId: act.by.user.id, subscribed });
  return issue;
}
