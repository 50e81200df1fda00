import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { type ApprovableMergeRequest, canApprove, loadApprovals } from '../approval-rows/index.ts';
import { loadMergeStatuses, mergeRequestState, mergeStatusField } from '../merge-requests/index.ts';

const boolean = Type.Boolean();
const integer = Type.Integer();
const text = Type.String();
/** Type of the fields that list approval rules and approvers: always empty, because approval rules are not supported. */
const emptyArray = Type.Array(Type.Never());

/** A merge request with its approvals. */
export const Approvals = entity('Approvals', {
  id: integer,
  iid: integer,
  project_id: integer,
  title: text,
  description: nullable(text),
  state: mergeRequestState,
  created_at: dateTime,
  updated_at: dateTime,
  merge_status: mergeStatusField,
  approved: boolean,
  approvals_required: integer,
  approvals_left: integer,
  require_password_to_approve: boolean,
  approved_by: Type.Array(objectSchema('Approval', { user: UserBasic.schema, approved_at: dateTime })),
  suggested_approvers: emptyArray,
  approvers: emptyArray,
  approver_groups: emptyArray,
  user_has_approved: boolean,
  user_can_approve: Type.Boolean({ description: 'Whether an approval by the caller would succeed.' }),
  approval_rules_left: emptyArray,
  has_approval_rules: boolean,
  merge_request_approvers_available: boolean,
  multiple_approval_rules_available: boolean,
  invalid_approvers_rules: emptyArray,
}).from(
  async (rows: readonly ApprovableMergeRequest[], context) => {
    const { db } = context;
    const mergeRequests = rows.map(({ mergeRequest }) => mergeRequest);
    const approvals = await loadApprovals(
      db,
      mergeRequests.map(({ id }) => id),
    );
    return {
      approvalsByMergeRequestId: Map.groupBy(approvals, ({ merge_request_id }) => merge_request_id),
      usersById: await loadUsersById(
        db,
        approvals.map(({ user_id }) => user_id),
      ),
      statusesById: await loadMergeStatuses(mergeRequests, context),
    };
  },
  ({ mergeRequest, project }, context, { approvalsByMergeRequestId, usersById, statusesById }) => {
    const { id, iid, project_id, title, description, state, created_at, updated_at } = mergeRequest;
    const approvalsOfRow = approvalsByMergeRequestId.get(id) ?? [];
    const approverIds = approvalsOfRow.map(({ user_id }) => user_id);
    const { tier, caller } = context;
    return {
      id,
      iid,
      project_id,
      title,
      description,
      state,
      created_at,
      updated_at,
      merge_status: statusesById.get(id) ?? mergeRequest.merge_status,
      // Approvals are never required, so none is missing.
      approved: true,
      approvals_required: 0,
      approvals_left: 0,
      require_password_to_approve: false,
      approved_by: approvalsOfRow.map((approval) => ({
        user: UserBasic.serialize(requireRow(usersById.get(approval.user_id)), context),
        approved_at: approval.created_at,
      })),
      suggested_approvers: [],
      approvers: [],
      approver_groups: [],
      user_has_approved: caller.user !== null && approverIds.includes(caller.user.id),
      user_can_approve: canApprove({ tier, caller, project, mergeRequest, approverIds }),
      approval_rules_left: [],
      has_approval_rules: false,
      merge_request_approvers_available: true,
      multiple_approval_rules_available: true,
      invalid_approvers_rules: [],
    };
  },
);

/** The approval state of a merge request: without rules, because approval rules are not supported. */
export const ApprovalState = entity('ApprovalState', { approval_rules_overwritten: boolean, rules: emptyArray });
