import { allocateIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { selfOnly, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mergeMilestoneBatch, mergeMilestones } from './merge.ts';
import { findMilestone, insertMilestone, isTitleTakenAmongGroups, type MilestoneRow } from './store.ts';

/**
 * Promotes a project milestone to a group milestone and merges all milestones of that title in the group's direct projects into
 * it. Records no activity. A background job merges the rows that are too many for one transaction.
 */
export async function promoteMilestone(
  uow: UnitOfWork,
  { project, group }: { readonly project: Project; readonly group: Group },
  milestoneId: number,
): Promise<MilestoneRow | Failure<'notFound' | 'titleTaken'>> {
  const milestone = await findMilestone(uow, selfOnly({ project }), milestoneId);
  if (milestone === null) return fail('notFound');
  if (await isTitleTakenAmongGroups(uow, group, milestone.title)) return fail('titleTaken');
  const iid = await allocateIid(uow, { groupId: group.id }, 'milestone');
  const { state } = milestone;
  const timestamps = { created_at: uow.now, updated_at: uow.now };
  const groupMilestone = await insertMilestone(uow, toNamespaceOwnerColumns({ group }), iid, milestone, {
    state,
    ...timestamps,
  });
  const mergeResult = await mergeMilestoneBatch(uow, { ...groupMilestone, group_id: group.id });
  if (mergeResult === MORE) await enqueue(uow, mergeMilestones, { milestoneId: groupMilestone.id });
  return groupMilestone;
}
