import type { Generated } from 'kysely';

/** What changed of issues, merge requests and epics, told step by step (contract/planning.md §2.2, §2.3). */
export interface ResourceEventsTables {
  resource_state_events: ResourceStateEventsTable;
  resource_milestone_events: ResourceMilestoneEventsTable;
}

export type ResourceState = 'opened' | 'closed' | 'merged' | 'locked';
export type MilestoneChange = 'add' | 'remove';

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
