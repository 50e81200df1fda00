/** Rows of approvals. This module has no endpoints; the approval endpoints and quick actions use it. */
export { canApprove } from './approval-permission.ts';
export { type ApprovedMergeRequest, approve, unapprove } from './approve.ts';
export { deleteApprovals, loadApprovals, resetReviewStates, updateReviewState } from './store.ts';
