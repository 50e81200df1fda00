import type { ResourceType } from '#activity/index.ts';

/**
 * Where the rows of a kind of thing are that has labels, a state and a discussion, and perhaps assignees: what all such
 * kinds share is written once, for any of them.
 */
export interface LabelledKind {
  /** Its own table, which has the columns that all kinds share. */
  readonly things: 'issues' | 'merge_requests' | 'epics';
  readonly labels: 'issue_labels' | 'merge_request_labels' | 'epic_labels';
  /** Null: nobody is assigned to such things, and they have no milestone. */
  readonly assignees: 'issue_assignees' | 'merge_request_assignees' | 'merge_request_reviewers' | null;
  /** What rows that hang on one of them refer to it by. */
  readonly id: 'issue_id' | 'merge_request_id' | 'epic_id';
}

/** The same of things that people are assigned to. */
export interface Kind extends LabelledKind {
  readonly things: 'issues' | 'merge_requests';
  readonly assignees: 'issue_assignees' | 'merge_request_assignees' | 'merge_request_reviewers';
  readonly id: 'issue_id' | 'merge_request_id';
}

/** What is made of a kind, once for each. */
export function byKind<Of extends LabelledKind, Made>(make: (kind: Of) => Made): (kind: Of) => Made {
  const made = new Map<Of, Made>();
  return (kind) => made.get(kind) ?? made.set(kind, make(kind)).get(kind)!;
}

export const ISSUES: Kind = { things: 'issues', labels: 'issue_labels', assignees: 'issue_assignees', id: 'issue_id' };

export const MERGE_REQUESTS: Kind = {
  things: 'merge_requests',
  labels: 'merge_request_labels',
  assignees: 'merge_request_assignees',
  id: 'merge_request_id',
};

/** The same, with those who are asked to look at one in place of its assignees. */
export const REVIEWED: Kind = { ...MERGE_REQUESTS, assignees: 'merge_request_reviewers' };

export const EPICS: LabelledKind = { things: 'epics', labels: 'epic_labels', assignees: null, id: 'epic_id' };

/** The kind of each type of thing. */
export const KINDS = { Issue: ISSUES, MergeRequest: MERGE_REQUESTS, Epic: EPICS } as const satisfies Record<
  ResourceType,
  LabelledKind
>;

/** A list's things: of one project, or wherever they are. */
export interface Range {
  readonly kind: LabelledKind;
  readonly project: { readonly id: number; readonly namespace_id: number } | null;
}
