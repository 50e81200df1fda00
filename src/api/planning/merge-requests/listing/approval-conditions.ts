import { type SqlBool, sql } from 'kysely';
import {
  type IdOrKeyword,
  type IssuableListScope,
  issuableConditions,
  type ListCondition,
  MERGE_REQUESTS_BY_APPROVER,
} from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';

/** Filters by approvals and by approvers (contract/planning.md §3.8). */

interface ApprovalFilter {
  readonly approved?: 'yes' | 'no' | null | undefined;
  /** Users who must all have approved. */
  readonly approved_by_ids?: readonly IdOrKeyword[] | null | undefined;
  readonly approved_by_usernames?: readonly string[] | null | undefined;
  readonly approver_ids?: readonly IdOrKeyword[] | null | undefined;
}

/** Returns the conditions of the filters. index: merge_request_approvals_by_user, merge_request_approvals_by_merge_request */
export function approvalConditions(
  db: Reader,
  { project }: IssuableListScope,
  { approved, approved_by_ids, approved_by_usernames, approver_ids }: ApprovalFilter,
): ListCondition[] {
  const scope: IssuableListScope = { tables: MERGE_REQUESTS_BY_APPROVER, project };
  // The tables of this scope have approvals in the place of assignees.
  const approvedByConditions = (user: IdOrKeyword) => issuableConditions(db, scope, { assignee_id: user });
  return [
    ...(approved === 'yes'
      ? approvedByConditions('Any').map((condition) => ({ ...condition, ids: APPROVED_IDS }))
      : []),
    ...(approved === 'no' ? approvedByConditions('None') : []),
    ...(approved_by_ids ?? []).flatMap(approvedByConditions),
    ...issuableConditions(db, scope, { assignee_username: approved_by_usernames }),
    ...(approver_ids ?? []).map(approverCondition),
  ];
}

/** Ids of approved merge requests. index: merge_request_approvals_by_merge_request */
const APPROVED_IDS = sql`select approval.merge_request_id from merge_request_approvals as approval where true`;

/** Nobody is an approver, because approval rules do not exist. */
const approverCondition = (approver: IdOrKeyword): ListCondition => ({
  predicate: approver === 'None' ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`,
});
