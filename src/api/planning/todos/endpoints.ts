import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessCall, signedIn } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND, NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { epicAccessWithAbility } from '../epics/index.ts';
import { readableIssueResource } from '../issues/index.ts';
import { signedInMergeRequestAccess } from '../merge-requests/index.ts';
import { findTodo, markTodoDone, type TodoCause } from '../todo-rows/index.ts';
import { createMarkedTodo, markAllTodosDone } from './changes.ts';
import { Todo } from './entities.ts';
import { listTodosOfCaller, TODO_ACTION_FILTERS, TODO_TARGET_TYPES } from './list.ts';

/** Loads the caller's to-do item `:id` if they may read its target. */
const ownTodoAccess = () =>
  signedIn().resource({
    name: 'todo',
    params: { id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly id: number }>, { caller }: { readonly caller: SignedInCaller }) =>
      findTodo(db, caller, params.id),
    notFound: genericNotFound,
  });

type TodoTarget = Pick<TodoCause, 'target' | 'projectId' | 'groupId'>;

const toProjectTarget = (type: 'Issue' | 'MergeRequest', id: number, projectId: number): TodoTarget => ({
  target: { type, id },
  projectId,
  groupId: null,
});

// A caller may create a to-do item for anything that they may read.

const markIssueAccess = () =>
  inProject('read_project')
    .resource(readableIssueResource)
    .map(({ caller, project, issue }) => ({ caller, todoTarget: toProjectTarget('Issue', issue.id, project.id) }));

const markMergeRequestAccess = () =>
  signedInMergeRequestAccess().map(({ caller, project, mergeRequest }) => ({
    caller,
    todoTarget: toProjectTarget('MergeRequest', mergeRequest.id, project.id),
  }));

const markEpicAccess = () =>
  epicAccessWithAbility('read_epic').map(({ caller, group, epic }) => {
    const todoTarget: TodoTarget = { target: { type: 'Epic', id: epic.id }, projectId: null, groupId: group.id };
    return { caller, todoTarget };
  });

// To-do items (contract/planning.md §3.15).

export const listTodos = endpoint({
  get: '/todos',
  summary: 'List to-do items',
  description:
    "Lists the caller's to-do items, newest first. Items whose target the caller may no longer see are left out. Items are created by assignments, review requests, mentions, failed pipelines and conflicts, or by hand.",
  access: signedIn(),
  params: {
    state: optional(oneOf('pending', 'done'), 'pending'),
    action: describe(
      optional(oneOf(...TODO_ACTION_FILTERS)),
      'Why the item was created. Some values exist for compatibility and match nothing.',
    ),
    type: describe(
      optional(oneOf(...TODO_TARGET_TYPES)),
      'Type of the target. Only issues, merge requests, epics and commits have items.',
    ),
    author_id: describe(optional(integer), 'ID of the user who caused the item; an unknown one answers 404.'),
    project_id: optional(integer),
    group_id: describe(optional(integer), 'ID of a group, including its subgroups and their projects.'),
  },
  errors: { noAuthor: NOT_FOUND },
  response: page(Todo),
  read: (db, { caller, params, page }) => listTodosOfCaller(db, caller, params, page),
});

export const markTodoAsDone = endpoint({
  post: '/todos/:id/mark_as_done',
  summary: 'Mark a to-do item as done',
  description: 'Marks an item of the caller as done and returns it. Repeated calls give the same response.',
  access: ownTodoAccess(),
  errors: { notFound: NOT_FOUND },
  response: created(Todo),
  write: async (uow, { todo }) => (await markTodoDone(uow, todo.id)) ?? fail('notFound'),
});

export const markAllTodosAsDone = endpoint({
  post: '/todos/mark_as_done',
  summary: 'Mark all to-do items as done',
  description: 'Marks all pending items of the caller as done.',
  access: signedIn(),
  response: noContent,
  handle: ({ caller }, { runUnitOfWork }) => markAllTodosDone(runUnitOfWork, caller),
});

/** The shared part of the endpoints that create to-do items. */
const markEndpoint = {
  errors: { pending: NOT_MODIFIED },
  response: created(Todo),
};

export const markIssueAsTodo = endpoint({
  post: '/projects/:id/issues/:issue_iid/todo',
  summary: 'Create a to-do item for an issue',
  description:
    'Creates an item with the action `marked` for the caller, and returns it. Answers 304 if a pending one exists.',
  access: markIssueAccess(),
  ...markEndpoint,
  write: (uow, { todoTarget }) => createMarkedTodo(uow, todoTarget),
});

export const markMergeRequestAsTodo = endpoint({
  post: '/projects/:id/merge_requests/:merge_request_iid/todo',
  summary: 'Create a to-do item for a merge request',
  description:
    'Creates an item with the action `marked` for the caller, and returns it. Answers 304 if a pending one exists.',
  access: markMergeRequestAccess(),
  ...markEndpoint,
  write: (uow, { todoTarget }) => createMarkedTodo(uow, todoTarget),
});

export const markEpicAsTodo = endpoint({
  post: '/groups/:id/epics/:epic_iid/todo',
  summary: 'Create a to-do item for an epic',
  description:
    'Creates an item with the action `marked` for the caller, and returns it. Answers 304 if a pending one exists.',
  access: markEpicAccess(),
  ...markEndpoint,
  write: (uow, { todoTarget }) => createMarkedTodo(uow, todoTarget),
});
