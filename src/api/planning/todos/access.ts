import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessCall, signedIn } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { usingEpic } from '../epics/index.ts';
import { readableIssue } from '../issues/index.ts';
import { seeingMergeRequest } from '../merge-requests/index.ts';
import type { Cause } from '../todo-rows/index.ts';
import { findTodo } from '../todo-rows/index.ts';

/** The caller's own to-do of `:id`, on something that he may read still. */
export const ownTodo = () =>
  signedIn().resource({
    name: 'todo',
    params: { id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly id: number }>, { caller }: { readonly caller: SignedInCaller }) =>
      findTodo(db, caller, params.id),
    notFound: nestedNotFound,
  });

type Marked = Pick<Cause, 'target' | 'projectId' | 'groupId'>;

const inside = (type: 'Issue' | 'MergeRequest', id: number, projectId: number): Marked => ({
  target: { type, id },
  projectId,
  groupId: null,
});

// Whoever reads a thing may mark it for himself.

export const markingIssue = () =>
  inProject('read_project')
    .resource(readableIssue)
    .map(({ caller, project, issue }) => ({ caller, marked: inside('Issue', issue.id, project.id) }));

export const markingMergeRequest = () =>
  seeingMergeRequest().map(({ caller, project, mergeRequest }) => ({
    caller,
    marked: inside('MergeRequest', mergeRequest.id, project.id),
  }));

export const markingEpic = () =>
  usingEpic('read_epic').map(({ caller, group, epic }) => ({
    caller,
    marked: { target: { type: 'Epic', id: epic.id }, projectId: null, groupId: group.id } as Marked,
  }));
