/** Rows of issue links. This module has no endpoints; the link endpoints and quick actions use it. */
export {
  createLink,
  deleteLink,
  formatIssueReference,
  type IssueLinkEnds,
  type IssueLinkKind,
  issueLinksLockKey,
  type LinkedIssueWithProject,
} from './link.ts';
export {
  findLinkOfIssue,
  getOtherIssueId,
  getReferenceContext,
  type IssueLinkRow,
  type LinkedIssueRow,
  listLinkedIssues,
  loadLinksOfIssue,
} from './store.ts';
