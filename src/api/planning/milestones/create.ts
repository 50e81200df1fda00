import type { SignedInCaller } from '#authentication/caller.ts';
import { allocateIid } from '#domain/iids.ts';
import { type GroupOrProject, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { recordMilestoneEvent } from './activity.ts';
import { insertMilestone, type MilestoneContent, type MilestoneRow } from './store.ts';
import { findMilestoneFailure } from './validation.ts';

/** Creates a milestone in this project or group. */
export async function createMilestone(
  uow: UnitOfWork<SignedInCaller>,
  parent: GroupOrProject,
  input: MilestoneContent,
): Promise<MilestoneRow | Failure<'notSaved'>> {
  const content = { ...input, title: input.title.trim() };
  const failure = await findMilestoneFailure(uow, parent, content);
  if (failure !== null) return failure;
  const { project, group } = parent;
  const iid = await allocateIid(uow, project ? { projectId: project.id } : { groupId: group.id }, 'milestone');
  const milestone = await insertMilestone(uow, toNamespaceOwnerColumns(parent), iid, content);
  await recordMilestoneEvent(uow, milestone, 'created');
  return milestone;
}
