import type { NotifyingTarget } from '#activity/index.ts';
import { TODO_ACTIONS, type TodoAction } from '#database/schema.ts';

// Values of the list filters. Some are accepted although no item can have them.

export const TODO_ACTION_FILTERS = [
  ...TODO_ACTIONS,
  'approval_required',
  'review_submitted',
  'member_access_requested',
  'merge_train_removed',
  'ssh_key_expired',
  'ssh_key_expiring_soon',
  'okr_checkin_requested',
  'added_approver',
  'duo_pro_access_granted',
  'duo_enterprise_access_granted',
  'duo_core_access_granted',
] as const;

const SUPPORTED_TARGETS = [
  'Issue',
  'MergeRequest',
  'Epic',
  'Commit',
] as const satisfies readonly NotifyingTarget['type'][];

export const TODO_TARGET_TYPES = [
  ...SUPPORTED_TARGETS,
  'Project',
  'Namespace',
  'Key',
  'User',
  'WorkItem',
  'Vulnerability',
  'WikiPage::Meta',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'ComplianceManagement::Projects::ComplianceViolation',
] as const;

export type TodoActionFilter = (typeof TODO_ACTION_FILTERS)[number];
export type TodoTargetType = (typeof TODO_TARGET_TYPES)[number];

/** Returns whether to-do items with this action can exist. */
export const isSupportedAction = (action: TodoActionFilter): action is TodoAction =>
  (TODO_ACTIONS as readonly string[]).includes(action);

/** Returns whether to-do items on this type of target can exist. */
export const isSupportedTarget = (type: TodoTargetType): type is NotifyingTarget['type'] =>
  (SUPPORTED_TARGETS as readonly string[]).includes(type);
