import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import { ownerOf, type Place } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { insertMilestone, isIidTaken, type MilestoneContent, type MilestonePast, type MilestoneRow } from './store.ts';
import { contentErrors } from './validation.ts';

/** A milestone as another server tells of it. */
export interface ImportedMilestone extends MilestoneContent, MilestonePast {
  readonly iid: number;
}

/** A milestone of another server, with the number that it has there; nobody hears of it (contract/operations.md §1.4). */
export async function importMilestone(
  uow: UnitOfWork,
  place: Place,
  { iid, state, created_at, updated_at, ...given }: ImportedMilestone,
): Promise<MilestoneRow | Failure<'invalid'>> {
  const content = { ...given, title: given.title.trim() };
  const errors = await contentErrors(uow, place, content);
  if (errors !== null) return invalid(errors);
  if (await isIidTaken(uow, place, iid)) return IID_TAKEN;
  const { project, group } = place;
  await reserveIid(uow, project ? { projectId: project.id } : { groupId: group.id }, 'milestone', iid);
  return insertMilestone(uow, ownerOf(place), iid, content, { state, created_at, updated_at });
}
