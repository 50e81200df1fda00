import type { Transaction } from '../database/database.ts';
import type { MilestoneChange, ResourceState } from '../database/tables/resource-events.ts';
import { ofResource, type Resource } from './resource.ts';

/** The histories of states and milestones (contract/planning.md §2.2, §2.3): rows are only ever added, and go with their resource. */

/** It was opened again, closed or merged: a real change, never its creation. */
export interface StateEvent {
  readonly stateOf: Resource;
  readonly state: ResourceState;
  /** The merge request whose merge closed it. */
  readonly sourceMergeRequestId?: number;
}

/**
 * It was given a milestone, or lost the one that it had. One that takes the place of another is `add` alone; at creation it
 * is told too.
 */
export interface MilestoneEvent {
  readonly milestoneOf: Resource<'Issue' | 'MergeRequest'>;
  readonly milestoneId: number;
  readonly change: MilestoneChange;
  /** Of the resource at that moment. */
  readonly state: ResourceState;
}

/** What an endpoint's `records` calls these events. */
export type ResourceEventName = `state ${ResourceState}` | `milestone ${MilestoneChange}`;

export async function recordStateEvent(tx: Transaction, userId: number | null, event: StateEvent): Promise<void> {
  const { stateOf, state, sourceMergeRequestId } = event;
  await tx
    .insertInto('resource_state_events')
    .values({
      ...ofResource(stateOf),
      user_id: userId,
      state,
      source_merge_request_id: sourceMergeRequestId ?? null,
      created_at: tx.now,
    })
    .execute();
}

export async function recordMilestoneEvent(
  tx: Transaction,
  userId: number | null,
  { milestoneOf, milestoneId, change, state }: MilestoneEvent,
): Promise<void> {
  await tx
    .insertInto('resource_milestone_events')
    .values({
      ...ofResource(milestoneOf),
      user_id: userId,
      milestone_id: milestoneId,
      action: change,
      state,
      created_at: tx.now,
    })
    .execute();
}
