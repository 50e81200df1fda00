import type { Transaction } from '#database/database.ts';
import type { LabelChange, MilestoneChange, ResourceState } from '#database/schema.ts';
import { type Resource, toResourceColumns } from './resource.ts';

// Resource events of states, milestones, labels and weights (contract/planning.md §2.2, §2.3, §3.11). Rows are only
// added, and deleted with their resource.

/** The resource was reopened, closed or merged; never its creation. */
export interface StateEvent {
  readonly stateOf: Resource;
  readonly state: ResourceState;
  /** The merge request whose merge closed it. */
  readonly sourceMergeRequestId?: number;
  /** The commit whose message closed it. */
  readonly sourceCommit?: string;
}

/** A milestone was added or removed, also at creation. A replaced milestone records `add` only. */
export interface MilestoneEvent {
  readonly milestoneOf: Resource<'Issue' | 'MergeRequest'>;
  readonly milestoneId: number;
  readonly change: MilestoneChange;
  /** State of the resource at that time. */
  readonly state: ResourceState;
}

/** Labels were removed and added, also at creation. */
export interface LabelEvents {
  readonly labelsOf: Resource;
  /** Label ids. */
  readonly removedIds: readonly number[];
  readonly addedIds: readonly number[];
}

/** The weight of an issue changed, also at creation. */
export interface WeightEvent {
  /** Id of the issue. */
  readonly weightOf: number;
  /** Null: the weight was removed. */
  readonly weight: number | null;
}

/** Names of these events in an endpoint's `activity`. */
export type ResourceEventName =
  | `state ${ResourceState}`
  | `milestone ${MilestoneChange}`
  | `label ${LabelChange}`
  | 'weight';

/** Records a state event. `userId`: who changed the state; null: the server. */
export async function recordStateEvent(tx: Transaction, userId: number | null, event: StateEvent): Promise<void> {
  const { stateOf, state, sourceMergeRequestId, sourceCommit } = event;
  await tx
    .insertInto('resource_state_events')
    .values({
      ...toResourceColumns(stateOf),
      user_id: userId,
      state,
      source_merge_request_id: sourceMergeRequestId ?? null,
      source_commit: sourceCommit ?? null,
      created_at: tx.now,
    })
    .execute();
}

/** Records that a milestone was added or removed. `userId`: who changed it; null: the server. */
export async function recordMilestoneEvent(
  tx: Transaction,
  userId: number | null,
  { milestoneOf, milestoneId, change, state }: MilestoneEvent,
): Promise<void> {
  await tx
    .insertInto('resource_milestone_events')
    .values({
      ...toResourceColumns(milestoneOf),
      user_id: userId,
      milestone_id: milestoneId,
      action: change,
      state,
      created_at: tx.now,
    })
    .execute();
}

/** Records one event for each removed label, then one for each added label. */
export async function recordLabelEvents(
  tx: Transaction,
  userId: number | null,
  { labelsOf, removedIds, addedIds }: LabelEvents,
): Promise<void> {
  // Sorted, so that SQLite and PostgreSQL assign ids in the same order.
  const sortIds = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);
  const toRows = (action: LabelChange, ids: readonly number[]) =>
    sortIds(ids).map((label_id) => ({
      ...toResourceColumns(labelsOf),
      user_id: userId,
      label_id,
      action,
      created_at: tx.now,
    }));
  const rows = [...toRows('remove', removedIds), ...toRows('add', addedIds)];
  if (rows.length > 0) await tx.insertInto('resource_label_events').values(rows).execute();
}

/** Records a new weight. `userId`: who changed it; null: the server. */
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
