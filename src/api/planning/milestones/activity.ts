import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { MilestoneRow } from './store.ts';

/** Records an activity event for a project milestone; group milestones record none (contract/activity.md, "What records an event"). */
export async function recordMilestoneEvent(
  uow: UnitOfWork<SignedInCaller>,
  { project_id: projectId, id, iid }: MilestoneRow,
  action: 'created' | 'closed' | 'reopened' | 'destroyed',
): Promise<void> {
  if (projectId === null) return;
  const activityContext = { projectId, authorId: uow.actor.user.id };
  if (action === 'destroyed') await uow.record({ ...activityContext, action, target: { type: 'Milestone' } });
  else await uow.record({ ...activityContext, action, target: { type: 'Milestone', id, iid } });
}
