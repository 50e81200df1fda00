import { nextIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownerOf, ownReach } from '#domain/namespaces/scope.ts';
import { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mergeMilestones, mergeSome } from './merge.ts';
import { findMilestone, insertMilestone, isTitleOfGroup, type MilestoneRow } from './store.ts';

/**
 * Makes a milestone of the group of a project's, and of all of that title in the group's own projects. Nothing tells of it.
 * What is too much for one act the queue does.
 */
export async function promoteMilestone(
  uow: UnitOfWork,
  { project, group }: { readonly project: Project; readonly group: Group },
  milestoneId: number,
): Promise<MilestoneRow | Failure<'notFound' | 'titleTaken'>> {
  const milestone = await findMilestone(uow, ownReach({ project }), milestoneId);
  if (milestone === null) return fail('notFound');
  if (await isTitleOfGroup(uow, group, milestone.title)) return fail('titleTaken');
  const iid = await nextIid(uow, { groupId: group.id }, 'milestone');
  const { state } = milestone;
  const times = { created_at: uow.now, updated_at: uow.now };
  const made = await insertMilestone(uow, ownerOf({ group }), iid, milestone, { state, ...times });
  const more = await mergeSome(uow, { ...made, group_id: group.id });
  if (more === MORE) await enqueue(uow, mergeMilestones, { milestoneId: made.id });
  return made;
}
