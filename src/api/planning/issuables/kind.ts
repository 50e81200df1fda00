/**
 * Where the rows of a kind of thing are that has labels, assignees, a milestone, a state and a discussion: what all such
 * kinds share is written once, for any of them.
 */
export interface Kind {
  /** Its own table, which has the columns that all kinds share. */
  readonly things: 'issues' | 'merge_requests';
  readonly labels: 'issue_labels' | 'merge_request_labels';
  readonly assignees: 'issue_assignees' | 'merge_request_assignees';
  /** What rows that hang on one of them refer to it by. */
  readonly id: 'issue_id' | 'merge_request_id';
}

/** What is made of a kind, once for each. */
export function byKind<Made>(make: (kind: Kind) => Made): (kind: Kind) => Made {
  const made = new Map<Kind, Made>();
  return (kind) => made.get(kind) ?? made.set(kind, make(kind)).get(kind)!;
}

export const ISSUES: Kind = { things: 'issues', labels: 'issue_labels', assignees: 'issue_assignees', id: 'issue_id' };

export const MERGE_REQUESTS: Kind = {
  things: 'merge_requests',
  labels: 'merge_request_labels',
  assignees: 'merge_request_assignees',
  id: 'merge_request_id',
};

/** A list's things: of one project, or wherever they are. */
export interface Range {
  readonly kind: Kind;
  readonly project: { readonly id: number; readonly namespace_id: number } | null;
}
