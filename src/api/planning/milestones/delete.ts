import type { Act } from '../../../facts/act.ts';
import { forgetTargetActivity } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { recordMilestone } from './record.ts';
import { deleteMilestoneRow, type MilestoneRow } from './store.ts';

/** Deletes a milestone: what has it loses it, and of its events only that of its end stays. */
export async function deleteMilestone(
  act: Act<SignedIn>,
  milestone: MilestoneRow,
): Promise<undefined | Refused<'missing'>> {
  if (!(await deleteMilestoneRow(act, milestone.id))) return refused('missing');
  await forgetTargetActivity(act, 'Milestone', [milestone.id]);
  await recordMilestone(act, milestone, 'destroyed');
}
