import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND, NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { markTodoDone } from '../todo-rows/index.ts';
import { markEpicAccess, markIssueAccess, markMergeRequestAccess, ownTodoAccess } from './access.ts';
import { Todo } from './entities.ts';
import { TODO_ACTION_FILTERS, TODO_TARGET_TYPES } from './filter.ts';
import { listTodosOfCaller } from './list.ts';
import { createMarkedTodo, markAllTodosDone } from './mark.ts';

// To-do items (contract/planning.md §3.15).

export const listTodos = endpoint({
  get: '/todos',
  summary: 'List to-do items',
  access: signedIn(),
  params: {
    state: optional(oneOf('pending', 'done'), 'pending'),
    action: optional(oneOf(...TODO_ACTION_FILTERS)),
    type: optional(oneOf(...TODO_TARGET_TYPES)),
    author_id: optional(integer),
    project_id: optional(integer),
    group_id: optional(integer),
  },
  errors: { noAuthor: NOT_FOUND },
  response: page(Todo),
  read: (db, { caller, params, page }) => listTodosOfCaller(db, caller, params, page),
});

export const markTodoAsDone = endpoint({
  post: '/todos/:id/mark_as_done',
  summary: 'Mark a to-do item as done',
  access: ownTodoAccess(),
  errors: { notFound: NOT_FOUND },
  response: created(Todo),
  write: async (uow, { todo }) => (await markTodoDone(uow, todo.id)) ?? fail('notFound'),
});

export const markAllTodosAsDone = endpoint({
  post: '/todos/mark_as_done',
  summary: 'Mark all to-do items as done',
  access: signedIn(),
  response: noContent,
  handle: ({ caller }, { runUnitOfWork }) => markAllTodosDone(runUnitOfWork, caller),
});

const markEndpoint = {
  errors: { pending: NOT_MODIFIED },
  response: created(Todo),
};

export const markIssueAsTodo = endpoint({
  post: '/projects/:id/issues/:issue_iid/todo',
  summary: 'Create a to-do item for an issue',
  access: markIssueAccess(),
  ...markEndpoint,
  write: (uow, { todoTarget }) => createMarkedTodo(uow, todoTarget),
});

export const markMergeRequestAsTodo = endpoint({
  post: '/projects/:id/merge_requests/:merge_request_iid/todo',
  summary: 'Create a to-do item for a merge request',
  access: markMergeRequestAccess(),
  ...markEndpoint,
  write: (uow, { todoTarget }) => createMarkedTodo(uow, todoTarget),
});

export const markEpicAsTodo = endpoint({
  post: '/groups/:id/epics/:epic_iid/todo',
  summary: 'Create a to-do item for an epic',
  access: markEpicAccess(),
  ...markEndpoint,
  write: (uow, { todoTarget }) => createMarkedTodo(uow, todoTarget),
});
