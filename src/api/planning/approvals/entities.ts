import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { loadMergeStatuses, mergeRequestState, mergeStatusField } from '../merge-requests/index.ts';
import { mayApprove } from './approval-permission.ts';
import { loadApprovals } from './store.ts';

const flag = Type.Boolean();
const integer = Type.Integer();
const text = Type.String();
/** Fields that depend on approval rules, which do not exist here. */
const emptyArray = Type.Array(Type.Never());

export interface ApprovalsRow {
  readonly mergeRequest: MergeRequest;
  readonly project: Project;
}

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
  approved: flag,
  approvals_required: integer,
  approvals_left: integer,
  require_password_to_approve: flag,
  approved_by: Type.Array(shape('Approval', { user: UserBasic.schema, approved_at: dateTime })),
  suggested_approvers: emptyArray,
  approvers: emptyArray,
  approver_groups: emptyArray,
  user_has_approved: flag,
  user_can_approve: flag,
  approval_rules_left: emptyArray,
  has_approval_rules: flag,
  merge_request_approvers_available: flag,
  multiple_approval_rules_available: flag,
  invalid_approvers_rules: emptyArray,
}).from(
  async (rows: readonly ApprovalsRow[], to) => {
    const { db } = to;
    const mergeRequests = rows.map(({ mergeRequest }) => mergeRequest);
    const approvals = await loadApprovals(
      db,
      mergeRequests.map(({ id }) => id),
    );
    return {
      approvals: Map.groupBy(approvals, ({ merge_request_id }) => merge_request_id),
      users: await loadUsersById(
        db,
        approvals.map(({ user_id }) => user_id),
      ),
      statuses: await loadMergeStatuses(mergeRequests, to),
    };
  },
  ({ mergeRequest, project }, to, { approvals, users, statuses }) => {
    const { id, iid, project_id, title, description, state, created_at, updated_at } = mergeRequest;
    const approvalsOfRow = approvals.get(id) ?? [];
    const approvedBy = approvalsOfRow.map(({ user_id }) => user_id);
    const { tier, caller } = to;
    return {
      id,
      iid,
      project_id,
      title,
      description,
      state,
      created_at,
      updated_at,
      merge_status: statuses.get(id) ?? mergeRequest.merge_status,
      approved: true,
      approvals_required: 0,
      approvals_left: 0,
      require_password_to_approve: false,
      approved_by: approvalsOfRow.map((approval) => ({
        user: UserBasic.serialize(requireRow(users.get(approval.user_id)), to),
        approved_at: approval.created_at,
      })),
      suggested_approvers: [],
      approvers: [],
      approver_groups: [],
      user_has_approved: caller.user !== null && approvedBy.includes(caller.user.id),
      user_can_approve: mayApprove({ tier, caller, project, mergeRequest, approvedBy }),
      approval_rules_left: [],
      has_approval_rules: false,
      merge_request_approvers_available: true,
      multiple_approval_rules_available: true,
      invalid_approvers_rules: [],
    };
  },
);

/** Always without rules: there are no approval rules. */
export const ApprovalState = entity('ApprovalState', { approval_rules_overwritten: flag, rules: emptyArray });
