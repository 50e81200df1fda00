import type { ResourceType } from '#activity/index.ts';
import type { Columns } from '#database/database.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { LinkedIssueWithProject } from '../link-rows/index.ts';

// The subject of quick actions and its state.

/** A label of the noteable. */
export type LabelRef = Columns<'labels', 'id' | 'title'>;

/** The attributes of a noteable that quick actions change. */
export interface SubjectState {
  readonly state: string;
  readonly title: string;
  readonly labels: readonly LabelRef[];
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly milestone_id: number | null;
  readonly iteration_id: number | null;
  readonly due_date: string | null;
  readonly weight: number | null;
  /** Undefined for noteables that cannot have an epic. */
  readonly epic_id?: number | null;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly time_estimate: number;
  readonly total_time_spent: number;
  /** Set for merge requests only. */
  readonly target_branch?: string;
  /** Set for issues only. */
  readonly issue_type?: string;
}

/** The initial state of a new noteable. */
export const NEW_SUBJECT_STATE: Omit<SubjectState, 'title'> = {
  state: 'opened',
  labels: [],
  assignees: [],
  reviewers: [],
  milestone_id: null,
  iteration_id: null,
  due_date: null,
  weight: null,
  epic_id: null,
  confidential: false,
  discussion_locked: null,
  time_estimate: 0,
  total_time_spent: 0,
};

/** Why a rebase cannot start now. */
export type RebaseObstacle = 'forcePushForbidden' | 'conflict' | 'inProgress';

/** Operations of quick actions on an existing merge request, in addition to an update. */
export interface MergeRequestOperations {
  readonly sourceBranch: string;
  readonly headSha: string;
  readonly mayApprove: () => Promise<boolean>;
  readonly approve: () => Promise<unknown>;
  readonly mayUnapprove: () => Promise<boolean>;
  readonly unapprove: () => Promise<unknown>;
  readonly mayMerge: () => Promise<boolean>;
  /** Returns whether the merge waits for a pipeline or other requirements. */
  readonly mustWaitToMerge: () => Promise<boolean>;
  readonly scheduleMerge: () => Promise<unknown>;
  readonly mayRebase: () => Promise<boolean>;
  readonly findRebaseObstacle: () => Promise<RebaseObstacle | null>;
  readonly scheduleRebase: () => Promise<unknown>;
  readonly requestReview: (userId: number) => Promise<unknown>;
}

/** Operations of quick actions on an existing issue, in addition to an update. */
interface IssueOperations {
  readonly isMoved: boolean;
  /** Moves the issue to another project. */
  readonly moveTo: (projectId: number) => Promise<unknown>;
  readonly mayMarkAsDuplicateOf: (other: LinkedIssueWithProject) => boolean;
  /** Marks the issue, which is closed by the update, as a duplicate of another. */
  readonly markAsDuplicateOf: (other: LinkedIssueWithProject) => Promise<unknown>;
}

/** The noteable that quick actions change, existing or being created. */
export interface QuickActionSubject {
  readonly type: ResourceType;
  readonly parent: GroupOrProject;
  /** Null while the noteable is being created. `assigned` is 1 if the caller is an assignee. */
  readonly noteable: { readonly id: number; readonly author_id: number; readonly assigned?: 0 | 1 } | null;
  /** Whether the caller may change texts and state. */
  readonly mayUpdate: boolean;
  /** Whether the caller may change the other attributes. */
  readonly mayManage: boolean;
  /** Whether the caller may track time. */
  readonly mayTrackTime: boolean;
  /** Whether the caller may link the issue to others. */
  readonly mayLink: boolean;
  /** Returns which of these users may read the noteable. */
  readonly filterReaders: (ids: readonly number[]) => Promise<readonly number[]>;
  readonly currentState: SubjectState;
  /** Set for existing merge requests. */
  readonly mergeRequest?: MergeRequestOperations;
  /** Set for existing issues. */
  readonly issue?: IssueOperations;
}

/** The update that quick actions result in, with the names of the PUT parameters. */
export interface QuickActionInput {
  readonly state_event?: 'close' | 'reopen';
  readonly title?: string;
  readonly target_branch?: string;
  readonly labels?: string[];
  readonly assignee_ids?: number[];
  readonly reviewer_ids?: number[];
  readonly milestone_id?: number | null;
  readonly iteration_id?: number | null;
  readonly issue_type?: 'incident';
  readonly due_date?: string | null;
  readonly weight?: number | null;
  readonly epic_id?: number | null;
  readonly confidential?: boolean;
  readonly discussion_locked?: boolean;
}
