import type { Generated } from 'kysely';

/** To-do items (contract/planning.md §3.15). */
export interface TodosTables {
  todos: TodosTable;
}

/** Actions that may have several pending items per user and target; other actions have at most one. */
export const REPEATABLE_TODO_ACTIONS = ['mentioned', 'directly_addressed'] as const;

export const TODO_ACTIONS = [
  'assigned',
  'review_requested',
  ...REPEATABLE_TODO_ACTIONS,
  'build_failed',
  'unmergeable',
  'marked',
] as const;
export type TodoAction = (typeof TODO_ACTIONS)[number];

export const TODO_STATES = ['pending', 'done'] as const;
export type TodoState = (typeof TODO_STATES)[number];

interface TodosTable {
  id: Generated<number>;
  user_id: number;
  /** The user who caused the item. */
  author_id: number;
  /** The project or group of the target. */
  project_id: Generated<number | null>;
  group_id: Generated<number | null>;
  /** The target: exactly one of these four columns is set. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  commented_commit_id: Generated<number | null>;
  /** The note that mentions the user. */
  note_id: number | null;
  action: TodoAction;
  state: Generated<TodoState>;
  created_at: string;
  updated_at: string;
}
