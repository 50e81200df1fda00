/** Rows of approvals. This module has no endpoints; the approval endpoints and quick actions use it. */
export { type ApprovedMergeRequest, approve, canApprove, unapprove } from './approve.ts';
export { deleteApprovals, loadApprovals, resetReviewStates, updateReviewState } from './store.ts';
