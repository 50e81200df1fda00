import type { Transaction } from '#database/database.ts';
import type { LabelChange, MilestoneChange, ResourceState } from '#database/tables/resource-events.ts';
import { ofResource, type Resource } from './resource.ts';

/** The histories of states, milestones, labels and weights (contract/planning.md §2.2, §2.3, §3.11): rows are only ever added, and go with their resource. */

/** It was opened again, closed or merged: a real change, never its creation. */
export interface StateEvent {
  readonly stateOf: Resource;
  readonly state: ResourceState;
  /** The merge request whose merge closed it. */
  readonly sourceMergeRequestId?: number;
  /** The commit whose message closed it. */
  readonly sourceCommit?: string;
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

/** Labels were taken off it and put on it, at creation too. */
export interface LabelEvents {
  readonly labelsOf: Resource;
  /** By their ids. */
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** An issue was given another weight, at creation too. */
export interface WeightEvent {
  readonly weightOf: number;
  /** Null: it has none any more. */
  readonly weight: number | null;
}

/** What an endpoint's `records` calls these events. */
export type ResourceEventName =
  | `state ${ResourceState}`
  | `milestone ${MilestoneChange}`
  | `label ${LabelChange}`
  | 'weight';

export async function recordStateEvent(tx: Transaction, userId: number | null, event: StateEvent): Promise<void> {
  const { stateOf, state, sourceMergeRequestId, sourceCommit } = event;
  await tx
    .insertInto('resource_state_events')
    .values({
      ...ofResource(stateOf),
      user_id: userId,
      state,
      source_merge_request_id: sourceMergeRequestId ?? null,
      source_commit: sourceCommit ?? null,
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

export async function recordLabelEvents(
  tx: Transaction,
  userId: number | null,
  { labelsOf, removed, added }: LabelEvents,
): Promise<void> {
  // In the same order on both engines, however the labels were found.
  const inOrder = (ids: readonly number[]) => ids.toSorted((one, other) => one - other);
  const rows = (action: LabelChange, ids: readonly number[]) =>
    inOrder(ids).map((label_id) => ({
      ...ofResource(labelsOf),
      user_id: userId,
      label_id,
      action,
      created_at: tx.now,
    }));
  const all = [...rows('remove', removed), ...rows('add', added)];
  if (all.length > 0) await tx.insertInto('resource_label_events').values(all).execute();
}

export async function recordWeightEvent(
  tx: Transaction,
  userId: number | null,
  { weightOf, weight }: WeightEvent,
): Promise<void> {
  await tx
    .insertInto('resource_weight_events')
    .values({ issue_id: weightOf, user_id: userId, weight, created_at: tx.now })
    .execute();
}
