import type { Generated } from 'kysely';

/** Tables of `src/activity`. Ids of users, projects and targets are no foreign keys, because events may outlive these objects. */
export interface ActivityTables {
  activity_events: ActivityEventsTable;
  audit_events: AuditEventsTable;
}

/** An action in the filter `action` of the API. */
export type ActivityAction =
  | 'created'
  | 'updated'
  | 'closed'
  | 'reopened'
  | 'pushed'
  | 'commented'
  | 'merged'
  | 'joined'
  | 'left'
  | 'destroyed'
  | 'expired'
  | 'approved';

/** An action as the feed shows it: the `action_name` of the API. */
export type ActivityActionName =
  | 'opened'
  | 'closed'
  | 'accepted'
  | 'approved'
  | 'destroyed'
  | 'commented on'
  | 'created'
  | 'updated'
  | 'imported'
  | 'joined'
  | 'left'
  | 'removed due to membership expiration from'
  | 'pushed new'
  | 'pushed to'
  | 'deleted';

export type ActivityTargetType =
  | 'Issue'
  | 'MergeRequest'
  | 'Milestone'
  | 'Note'
  | 'DiscussionNote'
  | 'DiffNote'
  | 'Project'
  | 'WikiPage::Meta';

export type ImportedFrom = 'none' | 'gitlab_migration';

export type RefType = 'branch' | 'tag';
export type PushAction = 'created' | 'pushed' | 'removed';

/** A user's activity in a project. The push columns are set if and only if the action is `pushed`; then there is no target. */
export interface ActivityEventsTable {
  id: Generated<number>;
  project_id: number;
  author_id: number;
  action: ActivityAction;
  action_name: ActivityActionName;
  target_type: ActivityTargetType | null;
  /** Null also if the action deleted the target. */
  target_id: number | null;
  /** Iid of the target, or its id if its type has no iid. */
  target_iid: number | null;
  imported_from: Generated<ImportedFrom>;
  push_action: PushAction | null;
  ref_type: RefType | null;
  commit_count: number | null;
  commit_from: string | null;
  commit_to: string | null;
  /** Name without `refs/heads/` or `refs/tags/`; null for an event of several refs. */
  ref: string | null;
  /** At most 70 characters. */
  commit_title: string | null;
  /** Number of refs of a bulk event; null for an event of one ref. */
  ref_count: number | null;
  created_at: string;
}

export type AuditEntityType = 'User' | 'Group' | 'Project' | 'Gitlab::Audit::InstanceScope';

/** Audit events. Rows are only inserted. */
export interface AuditEventsTable {
  id: Generated<number>;
  /** Id of the acting user; -1 if none acted. */
  author_id: number;
  entity_type: AuditEntityType;
  entity_id: number;
  event_name: string;
  /** JSON. */
  details: string;
  created_at: string;
}
