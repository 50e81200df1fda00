import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Merge requests and their relations (contract/planning.md "Data model"). */
export interface MergeRequestsTables {
  merge_requests: MergeRequestsTable;
  merge_request_assignees: MergeRequestUsersTable;
  merge_request_reviewers: MergeRequestReviewersTable;
  merge_request_approvals: MergeRequestApprovalsTable;
  merge_request_labels: MergeRequestLabelsTable;
  merge_request_auto_merges: MergeRequestAutoMergesTable;
  merge_request_rebases: MergeRequestRebasesTable;
  merge_request_versions: MergeRequestVersionsTable;
  merge_request_closing_iids: MergeRequestClosingIidsTable;
}

/** `locked`: imported from another server while that server merged it. */
export type MergeRequestState = 'opened' | 'closed' | 'merged' | 'locked';
export type MergeStatus = 'unchecked' | 'checking' | 'can_be_merged' | 'cannot_be_merged';

/**
 * Result of the mergeability check. `no_commits`: a branch is missing, or the source has no own commits; `conflict`: the merge has
 * conflicts; `diverged`: the target has new commits, but the merge is clean; `ahead`: a fast-forward is possible.
 */
export type MergeCheck = 'no_commits' | 'conflict' | 'diverged' | 'ahead';

interface MergeRequestsTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  title: string;
  title_key: string;
  description: string | null;
  description_key: string | null;
  author_id: number;
  state: MergeRequestState;
  /** Whether the title marks it as a draft. */
  draft: boolean;
  source_branch: string;
  target_branch: string;
  /** The last known head of the source branch. */
  head_sha: string;
  closed_at: string | null;
  closed_by_id: number | null;
  merged_at: string | null;
  merged_by_id: number | null;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  /** The commit of the target branch after the merge. */
  merged_sha: string | null;
  merge_error: string | null;
  merge_status: MergeStatus;
  /** Result of the last mergeability check, from which `merge_status` follows; null: not checked since the last change. */
  merge_check: MergeCheck | null;
  /** Whether the last check found conflicts, about which users were notified. */
  conflicts_told: Generated<boolean>;
  squash: boolean;
  /** Whether the merge deletes the source branch, as requested by the user who merged; null: not specified. */
  should_remove_source_branch: boolean | null;
  /** Whether the merge deletes the source branch, as requested in the merge request; null: not specified. */
  force_remove_source_branch: boolean | null;
  discussion_locked: boolean | null;
  /** Time before which the merge request must not be merged. */
  merge_after: Generated<string | null>;
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
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** Assignees; the first one has the lowest id. Reviewers have further columns. */
interface MergeRequestUsersTable {
  id: Generated<number>;
  merge_request_id: number;
  user_id: number;
}

export const REVIEW_STATES = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

interface MergeRequestReviewersTable extends MergeRequestUsersTable {
  state: Generated<ReviewState>;
  /** Null: the time was not recorded. */
  created_at: Generated<string | null>;
}

/** At most one approval per user. */
interface MergeRequestApprovalsTable {
  id: Generated<number>;
  merge_request_id: number;
  user_id: number;
  created_at: string;
}

/** Auto-merge of a merge request: the user and the options. The row is deleted when auto-merge ends. */
interface MergeRequestAutoMergesTable {
  merge_request_id: number;
  user_id: number;
  /** JSON of the merge options. */
  wish: string;
  created_at: string;
}

/** A running rebase. It has ended when the row is deleted, the head changes, or the lease expires. */
interface MergeRequestRebasesTable {
  merge_request_id: number;
  user_id: number;
  /** The head of the source branch at the start of the rebase. */
  head_sha: string;
  /** Whether the push starts no pipeline. */
  skip_ci: boolean;
  lease_until: string;
}

interface MergeRequestLabelsTable {
  merge_request_id: number;
  label_id: number;
}

/**
 * Iids of the issues that the description closes when the merge request is merged into the default branch. The issues may
 * not exist.
 */
interface MergeRequestClosingIidsTable {
  merge_request_id: number;
  /** Project of the merge request. */
  project_id: number;
  issue_iid: number;
}

/** Versions: one per head and target branch of a merge request. */
interface MergeRequestVersionsTable {
  id: Generated<number>;
  merge_request_id: number;
  head_commit_sha: string;
  /** The merge base; null: not computed yet, or no common history. */
  base_commit_sha: string | null;
  /** The head of the target branch at that time. */
  start_commit_sha: string | null;
  /** Null: not computed yet. */
  state: 'empty' | 'collected' | 'overflow' | null;
  /** Number of changed files, `1000+` if truncated. */
  real_size: string | null;
  /** `git patch-id --stable`, equal for equal changes; null: not computed yet, or no changes. */
  patch_id_sha: Generated<string | null>;
  /** Whether the head is kept reachable while the merge request exists. */
  kept: Generated<boolean>;
  created_at: string;
}
