import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessCall, signedIn } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { epicAccessWithAbility } from '../epics/index.ts';
import { readableIssueResource } from '../issues/index.ts';
import { signedInMergeRequestAccess } from '../merge-requests/index.ts';
import type { TodoCause } from '../todo-rows/index.ts';
import { findTodo } from '../todo-rows/index.ts';

/** Loads the caller's to-do item `:id` if they may read its target. */
export const ownTodoAccess = () =>
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

export const markIssueAccess = () =>
  inProject('read_project')
    .resource(readableIssueResource)
    .map(({ caller, project, issue }) => ({ caller, todoTarget: toProjectTarget('Issue', issue.id, project.id) }));

export const markMergeRequestAccess = () =>
  signedInMergeRequestAccess().map(({ caller, project, mergeRequest }) => ({
    caller,
    todoTarget: toProjectTarget('MergeRequest', mergeRequest.id, project.id),
  }));

export const markEpicAccess = () =>
  epicAccessWithAbility('read_epic').map(({ caller, group, epic }) => ({
    caller,
    todoTarget: { target: { type: 'Epic', id: epic.id }, projectId: null, groupId: group.id } as TodoTarget,
  }));
