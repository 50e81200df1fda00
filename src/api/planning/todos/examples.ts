import type { Builds, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Calls an endpoint on a to-do item that the caller has created for an issue. */
const callOnNewTodo: Builds = async (scene) => ({ by: 'guest', path: { id: await newTodo(scene) } });

async function newTodo({ project, callers, newIssue, expectSuccess }: Scene): Promise<number> {
  const { iid } = await newIssue();
  const { body } = await expectSuccess(callers.guest.post(`${project.at}/issues/${iid}/todo`));
  return body.id;
}

export const examples: Examples<typeof endpoints> = {
  listTodos: [
    () => ({ by: 'stranger' }),
    async (scene) => {
      await newTodo(scene);
      return { by: 'guest' };
    },
    ({ callers }) => ({ by: 'guest', params: { author_id: callers.guest.id, action: 'marked', type: 'Issue' } }),
    ({ project }) => ({ by: 'guest', params: { project_id: project.id, state: 'done' } }),
    ({ group }) => ({ by: 'guest', params: { group_id: group.id } }),
  ],
  markTodoAsDone: callOnNewTodo,
  markAllTodosAsDone: () => ({ by: 'stranger' }),
  markIssueAsTodo: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  markMergeRequestAsTodo: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  markEpicAsTodo: async ({ group, newEpic }) => ({
    by: 'guest',
    path: { id: group.id, epic_iid: (await newEpic()).iid },
  }),
};
