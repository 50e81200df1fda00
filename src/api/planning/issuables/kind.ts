/**
 * Where the rows of a kind of thing are that has labels, assignees, a milestone, a state and a discussion: what all such
 * kinds share is written once, for any of them.
 */
export interface Kind {
  /** Its own table, which has the columns that all kinds share. */
  readonly things: 'issues';
  readonly labels: 'issue_labels';
  readonly assignees: 'issue_assignees';
  /** What rows that hang on one of them refer to it by. */
  readonly id: 'issue_id';
}

export const ISSUES: Kind = { things: 'issues', labels: 'issue_labels', assignees: 'issue_assignees', id: 'issue_id' };
