import type { Generated } from 'kysely';

/** Resource events of issues, merge requests and epics (contract/planning.md §2.2, §2.3, §3.11). */
export interface ResourceEventsTables {
  resource_state_events: ResourceStateEventsTable;
  resource_milestone_events: ResourceMilestoneEventsTable;
  resource_label_events: ResourceLabelEventsTable;
  resource_weight_events: ResourceWeightEventsTable;
}

export type ResourceState = 'opened' | 'closed' | 'merged' | 'locked';
export type MilestoneChange = 'add' | 'remove';
export type LabelChange = 'add' | 'remove';

interface ResourceEvent {
  id: Generated<number>;
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  /** Null after the account is deleted. */
  user_id: number | null;
  state: ResourceState;
  created_at: string;
}

interface ResourceStateEventsTable extends ResourceEvent {
  epic_id: Generated<number | null>;
  /** The commit that closed the issue. */
  source_commit: Generated<string | null>;
  /** The merge request whose merge closed the issue. */
  source_merge_request_id: Generated<number | null>;
}

interface ResourceMilestoneEventsTable extends ResourceEvent {
  /** Null after the milestone was deleted: the event is then hidden. */
  milestone_id: number | null;
  action: MilestoneChange;
}

interface ResourceLabelEventsTable {
  id: Generated<number>;
  /** Exactly one of these three ids is set. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  /** Null after the account is deleted. */
  user_id: number | null;
  /** Null after the label was deleted. */
  label_id: number | null;
  action: LabelChange;
  created_at: string;
}

interface ResourceWeightEventsTable {
  id: Generated<number>;
  issue_id: number;
  /** Null after the account is deleted. */
  user_id: number | null;
  /** Null: the weight was cleared. */
  weight: number | null;
  created_at: string;
}
