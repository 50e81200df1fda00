import type { Generated } from 'kysely';

/** What users have to do (contract/planning.md §3.15). */
export interface TodosTables {
  todos: TodosTable;
}

/** These are there as often as it happens; of the others one is pending by user and target. */
export const ADDING_UP = ['mentioned', 'directly_addressed'] as const;

export const TODO_ACTIONS = [
  'assigned',
  'review_requested',
  ...ADDING_UP,
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
  /** Who has caused it. */
  author_id: number;
  /** Where its target is. */
  project_id: Generated<number | null>;
  group_id: Generated<number | null>;
  /** Its target is one of the three. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  /** Which has mentioned the user. */
  note_id: number | null;
  action: TodoAction;
  state: Generated<TodoState>;
  created_at: string;
  updated_at: string;
}
