import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Merge requests and what hangs on them (contract/planning.md "Data model"). */
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

/** `locked`: another server was merging it when it was imported from there. */
export type MergeRequestState = 'opened' | 'closed' | 'merged' | 'locked';
export type MergeStatus = 'unchecked' | 'checking' | 'can_be_merged' | 'cannot_be_merged';

/**
 * What git says of a source and a target branch: one is not there or the source has no commits of its own; both changed the
 * same; the target has gone on, and the two can be merged; the target is where the source began.
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
  /** Its title says so. */
  draft: boolean;
  source_branch: string;
  target_branch: string;
  /** Where the source branch was when it was last seen. */
  head_sha: string;
  closed_at: string | null;
  closed_by_id: number | null;
  merged_at: string | null;
  merged_by_id: number | null;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  /** What the target branch became by the merge. */
  merged_sha: string | null;
  merge_error: string | null;
  merge_status: MergeStatus;
  /** What `merge_status` is by, where it has been looked into. */
  merge_check: MergeCheck | null;
  /** It had conflicts when somebody looked last; who may resolve them has been told. */
  conflicts_told: Generated<boolean>;
  squash: boolean;
  /** As it was said at the merge. */
  should_remove_source_branch: boolean | null;
  /** As its author wished. */
  force_remove_source_branch: boolean | null;
  discussion_locked: boolean | null;
  /** Seconds. */
  time_estimate: Generated<number>;
  /** Seconds. */
  total_time_spent: Generated<number>;
  /** Of the check boxes in the description. */
  task_count: Generated<number>;
  completed_task_count: Generated<number>;
  /** Comments by people. */
  user_notes_count: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  milestone_id: number | null;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** The first named has the lowest id. */
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
  /** Null: nobody has written down since when. */
  created_at: Generated<string | null>;
}

/** Of each user one at most. */
interface MergeRequestApprovalsTable {
  id: Generated<number>;
  merge_request_id: number;
  user_id: number;
  created_at: string;
}

/** A merge request that is to be merged by itself, in whose name and how; whoever ends that takes the row away. */
interface MergeRequestAutoMergesTable {
  merge_request_id: number;
  user_id: number;
  /** JSON: what was said of the merge. */
  wish: string;
  created_at: string;
}

/** A merge request that is being rebased; over with its row, with another head, or when the lease has run out. */
interface MergeRequestRebasesTable {
  merge_request_id: number;
  user_id: number;
  /** Where the source branch was then. */
  head_sha: string;
  /** Its push starts no pipeline. */
  skip_ci: boolean;
  lease_until: string;
}

interface MergeRequestLabelsTable {
  merge_request_id: number;
  label_id: number;
}

/**
 * The numbers of the issues of its project that its description closes when it is merged into the default branch, whether there
 * are such issues or will be.
 */
interface MergeRequestClosingIidsTable {
  merge_request_id: number;
  /** The merge request's. */
  project_id: number;
  issue_iid: number;
}

/** One for each head and each target branch that a merge request has had. */
interface MergeRequestVersionsTable {
  id: Generated<number>;
  merge_request_id: number;
  head_commit_sha: string;
  /** The merge base of the two; null: not looked up yet, or they have nothing in common. */
  base_commit_sha: string | null;
  /** The tip of the target branch then. */
  start_commit_sha: string | null;
  /** Null: not looked at yet. */
  state: 'empty' | 'collected' | 'overflow' | null;
  /** How many files are changed, `1000+` where that is cut. */
  real_size: string | null;
  /** What tells changes that are alike: `git patch-id --stable`; null: not looked at yet, or nothing is changed. */
  patch_id_sha: Generated<string | null>;
  /** Its head is reachable for as long as the merge request is there. */
  kept: Generated<boolean>;
  created_at: string;
}
