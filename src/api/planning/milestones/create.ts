import type { SignedInCaller } from '#authentication/caller.ts';
import { nextIid } from '#domain/iids.ts';
import { ownerOf, type Place } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { recordMilestone } from './activity.ts';
import { insertMilestone, type MilestoneContent, type MilestoneRow } from './store.ts';
import { contentFailure } from './validation.ts';

/** Creates a milestone of this project or group. */
export async function createMilestone(
  uow: UnitOfWork<SignedInCaller>,
  place: Place,
  given: MilestoneContent,
): Promise<MilestoneRow | Failure<'notSaved'>> {
  const content = { ...given, title: given.title.trim() };
  const refusal = await contentFailure(uow, place, content);
  if (refusal !== null) return refusal;
  const { project, group } = place;
  const iid = await nextIid(uow, project ? { projectId: project.id } : { groupId: group.id }, 'milestone');
  const milestone = await insertMilestone(uow, ownerOf(place), iid, content);
  await recordMilestone(uow, milestone, 'created');
  return milestone;
}
