import { nextIid } from '../../../access/iids.ts';
import { ownerOf, type Place } from '../../../access/reach.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import type { Refused } from '../../../refused.ts';
import { contentRefusal } from './content.ts';
import { recordMilestone } from './record.ts';
import { insertMilestone, type MilestoneContent, type MilestoneRow } from './store.ts';

/** Creates a milestone of this project or group. */
export async function createMilestone(
  act: Act<SignedIn>,
  place: Place,
  given: MilestoneContent,
): Promise<MilestoneRow | Refused<'notSaved'>> {
  const content = { ...given, title: given.title.trim() };
  const refusal = await contentRefusal(act, place, content);
  if (refusal !== null) return refusal;
  const { project, group } = place;
  const iid = await nextIid(act, project ? { projectId: project.id } : { groupId: group.id }, 'milestone');
  const milestone = await insertMilestone(act, ownerOf(place), iid, content);
  await recordMilestone(act, milestone, 'created');
  return milestone;
}
