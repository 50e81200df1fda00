import type { Generated } from 'kysely';

/** What changed of issues, merge requests and epics, told step by step (contract/planning.md §2.2, §2.3, §3.11). */
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
  /** Null once the account is gone. */
  user_id: number | null;
  state: ResourceState;
  created_at: string;
}

interface ResourceStateEventsTable extends ResourceEvent {
  epic_id: Generated<number | null>;
  /** The commit that closed it. */
  source_commit: Generated<string | null>;
  /** The merge request whose merge closed it. */
  source_merge_request_id: Generated<number | null>;
}

interface ResourceMilestoneEventsTable extends ResourceEvent {
  /** Null once it is deleted: the event is shown to nobody then. */
  milestone_id: number | null;
  action: MilestoneChange;
}

interface ResourceLabelEventsTable {
  id: Generated<number>;
  /** It is of one of the three. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  /** Null once the account is gone. */
  user_id: number | null;
  /** Null once it is deleted. */
  label_id: number | null;
  action: LabelChange;
  created_at: string;
}

interface ResourceWeightEventsTable {
  id: Generated<number>;
  issue_id: number;
  /** Null once the account is gone. */
  user_id: number | null;
  /** Null: it was cleared. */
  weight: number | null;
  created_at: string;
}
