import { Type } from 'typebox';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { mergeRequestState, mergeStatusField, mergeStatusNow } from '../merge-requests/index.ts';
import { mayApprove } from './approval-permission.ts';
import { approvalsOf } from './store.ts';

const flag = Type.Boolean();
const count = Type.Integer();
const text = Type.String();
/** What only servers with rules for approvals have anything to say of. */
const none = Type.Array(Type.Never());

export interface ApprovedRow {
  readonly mergeRequest: MergeRequest;
  readonly project: Project;
}

/** A merge request as those see it who approve of it. */
export const Approvals = entity('Approvals', {
  id: count,
  iid: count,
  project_id: count,
  title: text,
  description: nullable(text),
  state: mergeRequestState,
  created_at: dateTime,
  updated_at: dateTime,
  merge_status: mergeStatusField,
  approved: flag,
  approvals_required: count,
  approvals_left: count,
  require_password_to_approve: flag,
  approved_by: Type.Array(shape('Approval', { user: UserBasic.schema, approved_at: dateTime })),
  suggested_approvers: none,
  approvers: none,
  approver_groups: none,
  user_has_approved: flag,
  user_can_approve: flag,
  approval_rules_left: none,
  has_approval_rules: flag,
  merge_request_approvers_available: flag,
  multiple_approval_rules_available: flag,
  invalid_approvers_rules: none,
}).from(
  async (rows: readonly ApprovedRow[], to) => {
    const { db } = to;
    const mergeRequests = rows.map(({ mergeRequest }) => mergeRequest);
    const approvals = await approvalsOf(
      db,
      mergeRequests.map(({ id }) => id),
    );
    return {
      approvals: Map.groupBy(approvals, ({ merge_request_id }) => merge_request_id),
      users: await usersById(
        db,
        approvals.map(({ user_id }) => user_id),
      ),
      statuses: await mergeStatusNow(mergeRequests, to),
    };
  },
  ({ mergeRequest, project }, to, { approvals, users, statuses }) => {
    const { id, iid, project_id, title, description, state, created_at, updated_at } = mergeRequest;
    const given = approvals.get(id) ?? [];
    const approvedBy = given.map(({ user_id }) => user_id);
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
      approved_by: given.map((approval) => ({
        user: UserBasic.serialize(stillThere(users.get(approval.user_id)), to),
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

/** There are no rules by which merge requests are approved of. */
export const ApprovalState = entity('ApprovalState', { approval_rules_overwritten: flag, rules: none });
