import type { ResourceType } from '#activity/index.ts';
import type { TodoAction } from '#database/tables/todos.ts';
import { TODO_ACTIONS } from '#database/tables/todos.ts';

/** What a list of to-dos is narrowed to, of which there may be none. */

export const ACTIONS = [
  ...TODO_ACTIONS,
  'approval_required',
  'review_submitted',
  'member_access_requested',
  'merge_train_removed',
  'ssh_key_expired',
  'ssh_key_expiring_soon',
] as const;

const TARGETS = ['Issue', 'MergeRequest', 'Epic'] as const satisfies readonly ResourceType[];

export const TYPES = [
  ...TARGETS,
  'Commit',
  'Project',
  'Namespace',
  'Key',
  'User',
  'WorkItem',
  'Vulnerability',
  'WikiPage::Meta',
  'DesignManagement::Design',
  'AlertManagement::Alert',
] as const;

export type Action = (typeof ACTIONS)[number];
export type Type = (typeof TYPES)[number];

export const isMade = (action: Action): action is TodoAction => (TODO_ACTIONS as readonly string[]).includes(action);

export const isTarget = (type: Type): type is ResourceType => (TARGETS as readonly string[]).includes(type);
