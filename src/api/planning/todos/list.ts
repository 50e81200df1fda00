import type { NotificationTarget } from '#activity/index.ts';
import { loadUsersById } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { TODO_ACTIONS, type TodoAction, type TodoState } from '#database/schema.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { listTodos, type TodoRow } from '../todo-rows/index.ts';

// Values of the list filters. The last ones exist in the reference's API, but no item of this server has them.

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
] as const satisfies readonly NotificationTarget['type'][];

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

type TodoActionFilter = (typeof TODO_ACTION_FILTERS)[number];
type TodoTargetType = (typeof TODO_TARGET_TYPES)[number];

interface ListTodosParams {
  readonly state: TodoState;
  readonly action?: TodoActionFilter | null | undefined;
  readonly type?: TodoTargetType | null | undefined;
  readonly author_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
  readonly group_id?: number | null | undefined;
}

/** Returns one page of the caller's to-do items; filters that no item can match give an empty page. */
export async function listTodosOfCaller(
  db: Reader,
  caller: SignedInCaller,
  { action, type, ...filter }: ListTodosParams,
  page: OffsetRequest,
): Promise<ListPage<TodoRow> | Failure<'noAuthor'>> {
  const { author_id } = filter;
  if (author_id != null && !(await loadUsersById(db, [author_id])).has(author_id)) return fail('noAuthor');
  if (action != null && !isSupportedAction(action)) return { items: [], total: 0, hasMore: false };
  if (type != null && !isSupportedTarget(type)) return { items: [], total: 0, hasMore: false };
  return listTodos(db, caller, { ...filter, action: action ?? null, type: type ?? null }, page);
}

/** Returns whether to-do items with this action can exist. */
const isSupportedAction = (action: TodoActionFilter): action is TodoAction =>
  (TODO_ACTIONS as readonly string[]).includes(action);

/** Returns whether to-do items on this type of target can exist. */
const isSupportedTarget = (type: TodoTargetType): type is NotificationTarget['type'] =>
  (SUPPORTED_TARGETS as readonly string[]).includes(type);
