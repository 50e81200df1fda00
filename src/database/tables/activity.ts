import type { Generated } from 'kysely';

/** The rows of `src/activity`. User, project and target ids are plain numbers, because rows may outlive what they refer to. */
export interface ActivityTables {
  activity_events: ActivityEventsTable;
  audit_events: AuditEventsTable;
}

/** The values of the `action` filter. */
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
  /** The action as the feed shows it. */
  action_name: ActivityActionName;
  target_type: ActivityTargetType | null;
  /** Null also for a target that was destroyed by the action. */
  target_id: number | null;
  /** The target's id if its type has no iid. */
  target_iid: number | null;
  imported_from: Generated<ImportedFrom>;
  push_action: PushAction | null;
  ref_type: RefType | null;
  commit_count: number | null;
  commit_from: string | null;
  commit_to: string | null;
  /** Without `refs/heads/` or `refs/tags/`; null when the event stands for many refs. */
  ref: string | null;
  /** At most 70 characters. */
  commit_title: string | null;
  /** Number of refs of the event; null for one. */
  ref_count: number | null;
  created_at: string;
}

export type AuditEntityType = 'User' | 'Group' | 'Project' | 'Gitlab::Audit::InstanceScope';

/** Audit events. Rows are only inserted. */
export interface AuditEventsTable {
  id: Generated<number>;
  /** -1 when no user acted. */
  author_id: number;
  entity_type: AuditEntityType;
  entity_id: number;
  event_name: string;
  /** JSON. */
  details: string;
  created_at: string;
}
