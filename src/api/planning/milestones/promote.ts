import { nextIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownerOf, ownReach } from '#domain/namespaces/scope.ts';
import { MORE } from '#events/batches.ts';
import type { Act } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { mergeMilestones, mergeSome } from './merge.ts';
import { findMilestone, insertMilestone, isTitleOfGroup, type MilestoneRow } from './store.ts';

/**
 * Makes a milestone of the group of a project's, and of all of that title in the group's own projects. Nothing tells of it.
 * What is too much for one act the queue does.
 */
export async function promoteMilestone(
  act: Act,
  { project, group }: { readonly project: Project; readonly group: Group },
  milestoneId: number,
): Promise<MilestoneRow | Failure<'missing' | 'titleTaken'>> {
  const milestone = await findMilestone(act, ownReach({ project }), milestoneId);
  if (milestone === null) return refused('missing');
  if (await isTitleOfGroup(act, group, milestone.title)) return refused('titleTaken');
  const iid = await nextIid(act, { groupId: group.id }, 'milestone');
  const { state } = milestone;
  const times = { created_at: act.now, updated_at: act.now };
  const made = await insertMilestone(act, ownerOf({ group }), iid, milestone, { state, ...times });
  const more = await mergeSome(act, { ...made, group_id: group.id });
  if (more === MORE) await enqueue(act, mergeMilestones, { milestoneId: made.id });
  return made;
}
