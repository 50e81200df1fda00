import type { NotificationTarget, Resource } from '#activity/index.ts';
import type { JobStatus } from '#database/schema.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { NotifiableEvent } from './notifiable-events.ts';

/**
 * Domain events by name, with the payload for the resources that react to them. Payloads are plain JSON and are stored
 * with background jobs.
 */
export interface EventPayloads {
  'refs-changed': {
    readonly projectId: number;
    readonly userId: number | null;
    readonly changes: readonly RefChange[];
    /** Set if the change merges an existing merge request. */
    readonly merge?: Merge;
    /** Push options for pipelines: `git push -o ci...`, truncated. */
    readonly options?: readonly string[];
  };
  /** Refs of a snippet have moved. */
  'snippet-refs-changed': { readonly snippetId: number };
  /** Refs of a wiki repository changed. Pipelines, branches and merge requests do not react to it. */
  'wiki-refs-changed': {
    readonly wikiId: number;
    readonly userId: number | null;
    readonly changes: readonly RefChange[];
  };
  'project-moved': { readonly projectId: number; readonly oldPaths: readonly string[] };
  /** A group or project moved to another namespace, and inherits from other groups now. */
  'group-or-project-transferred': { readonly type: 'group' | 'project'; readonly id: number };
  /** Runners may take jobs of a project, or of projects in a group, that they could not take before. */
  'runner-access-extended': { readonly type: 'group' | 'project'; readonly id: number };
  'project-destroyed': { readonly projectId: number; readonly storage: string; readonly diskPath: string };
  /**
   * An administrator requested that a project's repository moves to another storage. The repository is not read-only.
   */
  'storage-move-requested': { readonly projectId: number; readonly storage: string };
  'group-destroyed': { readonly groupId: number };
  /**
   * Published in the transaction that deletes the user's row, before the deletion. `owned-rows.ts` and subscribers
   * reassign the user's data to the ghost user, or delete it with `hard`, unless foreign keys do so.
   */
  'user-deleted': { readonly userId: number; readonly ghostUserId: number; readonly hard: boolean };
  /** `unassign`: whether to remove the user's assignments there. */
  'membership-ended': {
    readonly userId: number;
    readonly sourceType: 'group' | 'project';
    readonly sourceId: number;
    readonly unassign?: boolean;
  };
  /**
   * Jobs with environments were created, in status `created`. Their environments must exist before the first job
   * starts.
   */
  'deployment-jobs-created': {
    readonly projectId: number;
    readonly pipelineId: number;
    readonly jobIds: readonly number[];
  };
  /** The status of jobs with environments changed. */
  'job-status-changed': {
    readonly projectId: number;
    readonly pipelineId: number;
    readonly jobIds: readonly number[];
    readonly to: JobStatus;
  };
  /** A job reached a final status: it succeeded, failed or was canceled. */
  'job-finished': { readonly jobId: number; readonly pipelineId: number; readonly projectId: number };
  /** A pipeline reached success, failure or `skipped`, perhaps not for the first time. */
  'pipeline-finished': { readonly pipelineId: number; readonly status: 'success' | 'failed' | 'skipped' };
  /** Published in the transaction that deletes the pipeline's row, before the deletion. Its jobs are deleted already. */
  'pipeline-deleted': { readonly projectId: number; readonly pipelineId: number };
  /** A title, description or comment was edited. `internal`: visible to members only. */
  'text-updated': {
    /** The noteable, also if one of its notes was edited. */
    readonly about: NotificationTarget;
    readonly field: 'title' | 'description' | 'note';
    readonly noteId?: number;
    readonly before: string;
    readonly text: string;
    readonly internal: boolean;
  };
  /** An emoji was awarded to a noteable, or to a note on it. */
  'emoji-awarded': {
    readonly userId: number;
    /** The noteable, also if the emoji was awarded to a note. */
    readonly about: { readonly type: 'Issue' | 'MergeRequest' | 'Epic'; readonly id: number };
  };
  'merge-request-approved': { readonly mergeRequestId: number; readonly userId: number };
  /** An issue, merge request or epic was updated in one of these properties. */
  'noteable-updated': {
    /** The updated noteable. */
    readonly about: Resource;
    /** Ids of new assignees, and of new reviewers. */
    readonly assigned: readonly number[];
    readonly reviewers: readonly number[];
    /** Whether labels, milestone or assignees changed. */
    readonly metadata: boolean;
  };
  /** A noteable became confidential, or a confidential one lost an assignee. */
  'noteable-hidden': Resource;
  /** An open merge request has conflicts now and had none at the previous check. */
  'merge-conflicts-detected': { readonly mergeRequestId: number };
  /** Fewer users may see the group or project, or its contents. */
  'visibility-reduced': { readonly type: 'group' | 'project'; readonly id: number };
  /** The last unresolved thread of a merge request was resolved or deleted. An auto-merge may continue. */
  'threads-resolved': { readonly projectId: number; readonly mergeRequestId: number };
  /** Alert payloads triggered alerts, new or unresolved ones, and resolved others. */
  'alerts-reported': {
    readonly projectIds: readonly number[];
    /** Ids of alerts, without duplicates. */
    readonly fired: readonly number[];
    readonly resolved: readonly number[];
  };
  /** Something happened that users may be notified of by mail. */
  'notifiable-event-occurred': NotifiableEvent;
}

/** A merge of a merge request in progress, to complete or to record when the target branch has moved. Plain JSON. */
export interface Merge {
  readonly mergeRequestId: number;
  /** Full name of the target branch, and its new commit. */
  readonly ref: string;
  readonly newId: string;
  /**
   * The head that is merged; later pushes to the source branch are not part of the merge. Absent in events of older
   * versions.
   */
  readonly head?: string;
  /** The merge commit; null for a fast-forward merge. */
  readonly mergeCommit: string | null;
  readonly squashCommit: string | null;
  /** Merge base of the source branch and the previous target branch. */
  readonly base: string;
  /** Commit of the target branch before the merge. */
  readonly start: string;
  /** As requested with the merge. */
  readonly shouldRemoveSourceBranch: boolean | null;
  /** The choice of the merge request and the merge. Absent if a push merged it. */
  readonly squash?: boolean;
}

export type EventName = keyof EventPayloads;
