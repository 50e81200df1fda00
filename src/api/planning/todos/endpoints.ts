import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND, NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { finishTodo } from '../todo-rows/index.ts';
import { markingEpic, markingIssue, markingMergeRequest, ownTodo } from './access.ts';
import { Todo } from './entities.ts';
import { ACTIONS, TYPES } from './filter.ts';
import { listOwn } from './list.ts';
import { finishAll, mark } from './mark.ts';

// What users have to do (contract/planning.md §3.15).

export const listTodos = endpoint({
  get: '/todos',
  summary: 'List what the caller has to do',
  access: signedIn(),
  params: {
    state: optional(oneOf('pending', 'done'), 'pending'),
    action: optional(oneOf(...ACTIONS)),
    type: optional(oneOf(...TYPES)),
    author_id: optional(integer),
    project_id: optional(integer),
    group_id: optional(integer),
  },
  errors: { noAuthor: NOT_FOUND },
  response: page(Todo),
  read: (db, { caller, params, page }) => listOwn(db, caller, params, page),
});

export const markTodoAsDone = endpoint({
  post: '/todos/:id/mark_as_done',
  summary: 'Say that something is done',
  access: ownTodo(),
  errors: { gone: NOT_FOUND },
  response: created(Todo),
  write: async (uow, { todo }) => (await finishTodo(uow, todo.id)) ?? fail('gone'),
});

export const markAllTodosAsDone = endpoint({
  post: '/todos/mark_as_done',
  summary: 'Say that all is done',
  access: signedIn(),
  response: noContent,
  handle: ({ caller }, { runUnitOfWork }) => finishAll(runUnitOfWork, caller),
});

const marking = {
  errors: { pending: NOT_MODIFIED },
  response: created(Todo),
};

export const markIssueAsTodo = endpoint({
  post: '/projects/:id/issues/:issue_iid/todo',
  summary: 'Give oneself an issue to do',
  access: markingIssue(),
  ...marking,
  write: (uow, { marked }) => mark(uow, marked),
});

export const markMergeRequestAsTodo = endpoint({
  post: '/projects/:id/merge_requests/:merge_request_iid/todo',
  summary: 'Give oneself a merge request to do',
  access: markingMergeRequest(),
  ...marking,
  write: (uow, { marked }) => mark(uow, marked),
});

export const markEpicAsTodo = endpoint({
  post: '/groups/:id/epics/:epic_iid/todo',
  summary: 'Give oneself an epic to do',
  access: markingEpic(),
  ...marking,
  write: (uow, { marked }) => mark(uow, marked),
});
