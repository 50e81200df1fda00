import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Issues and their relations (contract/planning.md "Data model"). */
export interface IssuesTables {
  issues: IssuesTable;
  issue_assignees: IssueAssigneesTable;
  issue_links: IssueLinksTable;
  issue_labels: IssueLabelsTable;
  subscriptions: SubscriptionsTable;
}

/** The type of a link between issues; `blocks`: the source blocks the target. */
export type IssueLinkType = 'relates_to' | 'blocks';

export type IssueState = 'opened' | 'closed';
/** The severity of an incident. */
export type IssueSeverity = 'unknown' | 'low' | 'medium' | 'high' | 'critical';
export type IssueType = 'issue' | 'incident' | 'task' | 'test_case';

interface IssuesTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  title: string;
  title_key: string;
  description: string | null;
  description_key: string | null;
  author_id: number;
  state: IssueState;
  closed_at: string | null;
  closed_by_id: number | null;
  confidential: boolean;
  /** Null: never locked or unlocked. */
  discussion_locked: boolean | null;
  issue_type: IssueType;
  severity: Generated<IssueSeverity>;
  /** `YYYY-MM-DD` */
  start_date: string | null;
  /** `YYYY-MM-DD` */
  due_date: string | null;
  weight: number | null;
  /** Position among the issues of the project, with gaps; equal positions are ordered by id. */
  relative_position: number;
  /** Seconds. */
  time_estimate: Generated<number>;
  /** Seconds. */
  total_time_spent: Generated<number>;
  /** Number of task list items in the description. */
  task_count: Generated<number>;
  completed_task_count: Generated<number>;
  /** Number of user comments, without system notes. */
  user_notes_count: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  milestone_id: number | null;
  iteration_id: number | null;
  /** The issue to which this issue was moved. */
  moved_to_id: number | null;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** The first assignee has the lowest id. */
interface IssueAssigneesTable {
  id: Generated<number>;
  issue_id: number;
  user_id: number;
}

interface IssueLabelsTable {
  issue_id: number;
  label_id: number;
  /** This and the following columns are copied from the issue by triggers, for counts by label. */
  project_id: Generated<number>;
  state: Generated<IssueState>;
  confidential: Generated<boolean>;
}

/** Explicit subscriptions; participants are subscribed without a row. */
interface SubscriptionsTable {
  id: Generated<number>;
  user_id: number;
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  /** False: explicitly unsubscribed. */
  subscribed: boolean;
  created_at: string;
  updated_at: string;
}

/** At most one link exists between two issues. */
interface IssueLinksTable {
  id: Generated<number>;
  source_id: number;
  target_id: number;
  link_type: IssueLinkType;
  created_at: string;
  updated_at: string;
}
