import type { Resource } from '#activity/index.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Occurrence } from './mail-occurrences.ts';

/** What happened, for other families to follow up: the name of each fact and what it tells. Payloads are plain JSON. */
export interface EventPayloads {
  'refs-changed': {
    readonly projectId: number;
    readonly userId: number | null;
    readonly changes: readonly RefChange[];
    /** The merge that they are, of a merge request that is there still. */
    readonly merge?: Merge;
    /** What their push has asked of pipelines: `git push -o ci...`, so much as is kept of it. */
    readonly options?: readonly string[];
  };
  /** The same in the repository of a wiki; nobody is told of it by pipelines, branches and the like. */
  'wiki-refs-changed': {
    readonly wikiId: number;
    readonly userId: number | null;
    readonly changes: readonly RefChange[];
  };
  'project-moved': { readonly projectId: number; readonly oldPaths: readonly string[] };
  /** It hangs under another namespace, whose groups hand down other things. */
  transferred: { readonly type: 'group' | 'project'; readonly id: number };
  /** Runners may take its jobs, or those of what is in it, that might not before: it takes more of them, or runs jobs again. */
  'runners-let-in': { readonly type: 'group' | 'project'; readonly id: number };
  'project-destroyed': { readonly projectId: number; readonly storage: string; readonly diskPath: string };
  /** An administrator wants a project's repository, which is not read-only, to be in this storage, another one than it is in. */
  'storage-wanted': { readonly projectId: number; readonly storage: string };
  'group-destroyed': { readonly groupId: number };
  /**
   * In the transaction that removes the user's row, before it goes: what a family keeps of the user moves to the ghost, or
   * with `hard` is deleted, so far as it doesn't go or lose its user by its foreign key.
   */
  'user-deleted': { readonly userId: number; readonly ghostUserId: number; readonly hard: boolean };
  /** `unassign`: what is assigned to the user there is to be unassigned. */
  'membership-ended': {
    readonly userId: number;
    readonly sourceType: 'group' | 'project';
    readonly sourceId: number;
    readonly unassign?: boolean;
  };
  /**
   * Jobs with environments have just been made, as `created`, and none has begun: the environments they name have to be
   * there before one does.
   */
  'environments-wanted': {
    readonly projectId: number;
    readonly pipelineId: number;
    readonly jobIds: readonly number[];
  };
  /** Jobs with environments have another status now. */
  'jobs-stepped': {
    readonly projectId: number;
    readonly pipelineId: number;
    readonly jobIds: readonly number[];
    readonly to: JobStatus;
  };
  /** A job has come to its end, of which nothing more is heard: it succeeded, failed or was canceled. */
  'job-finished': { readonly jobId: number; readonly pipelineId: number; readonly projectId: number };
  /** Somebody has given a title, a description, or a comment on a thing, other words; `internal`: for members only. */
  reworded: {
    readonly about: Resource;
    readonly of: 'title' | 'description' | 'note';
    readonly noteId?: number;
    readonly before: string;
    readonly text: string;
    readonly internal: boolean;
  };
  /** Somebody has awarded an emoji to a thing, or to a note on it. */
  'emoji-awarded': {
    readonly userId: number;
    readonly about: { readonly type: 'Issue' | 'MergeRequest' | 'Epic'; readonly id: number };
  };
  /** Somebody has approved of a merge request. */
  approved: { readonly mergeRequestId: number; readonly userId: number };
  /** An issue, a merge request or an epic has been changed in what follows. */
  'thing-changed': {
    readonly about: Resource;
    /** Who has it now, or is asked to review it, and was not before. */
    readonly assigned: readonly number[];
    readonly reviewers: readonly number[];
    /** Its labels, its milestone or its assignees are others. */
    readonly metadata: boolean;
  };
  /** A thing is confidential now, or was and is not everybody's any more whose it was. */
  'thing-hidden': Resource;
  /** An open merge request has conflicts now, and had none when somebody looked before. */
  'conflicts-come': { readonly mergeRequestId: number };
  /** Fewer see it, or what is in it. */
  'sight-narrowed': { readonly type: 'group' | 'project'; readonly id: number };
  /**
   * No thread of the merge request is open any more: somebody has resolved the last one, or taken back what was open of it.
   * What waited for that may go on.
   */
  'threads-resolved': { readonly projectId: number; readonly mergeRequestId: number };
  /** Payloads have fired alerts, new ones or some that were there and are unresolved, and have resolved others. */
  'alerts-reported': {
    readonly projectIds: readonly number[];
    /** The ids of alerts, each once. */
    readonly fired: readonly number[];
    readonly resolved: readonly number[];
  };
  /** Something that users may be told of by mail. */
  occurred: Occurrence;
}

/** A merge of a merge request, on its way: what becomes of it when the target branch has moved. Plain JSON. */
export interface Merge {
  readonly mergeRequestId: number;
  /** The full name of the target branch, and where it goes. */
  readonly ref: string;
  readonly newId: string;
  /** The commit that is merged: whatever comes to the source branch afterwards is no part of it. An older version has not written it down. */
  readonly head?: string;
  /** The commit of two parents; null: the target branch went to what was merged itself. */
  readonly mergeCommit: string | null;
  readonly squashCommit: string | null;
  /** Where the source branch parted from the target branch, as that was before. */
  readonly base: string;
  readonly start: string;
  /** As it was said at the merge. */
  readonly shouldRemoveSourceBranch: boolean | null;
}

export type EventName = keyof EventPayloads;
