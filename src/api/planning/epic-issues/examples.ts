import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Adds an issue to an epic of the scene's group and returns the path. */
async function createAssociation({ group, newEpic, newIssue, expectSuccess }: Scene, epic?: { readonly iid: number }) {
  const { iid } = epic ?? (await newEpic());
  const { body } = await expectSuccess(group.owner.post(`${group.at}/epics/${iid}/issues/${(await newIssue()).id}`));
  return { id: group.id, epic_iid: iid, epic_issue_id: body.id as number };
}

export const examples: Examples<typeof endpoints> = {
  listEpicIssues: async (scene) => {
    const { id, epic_iid } = await createAssociation(scene);
    return { by: 'guest', path: { id, epic_iid } };
  },
  addEpicIssue: [
    async ({ group, newEpic, newIssue }) => ({
      by: 'guest',
      path: { id: group.id, epic_iid: (await newEpic()).iid, issue_id: (await newIssue()).id },
    }),
    async (scene) => {
      const epic = await scene.newEpic();
      const issue = await scene.newIssue({ epic_id: epic.id });
      const otherEpic = await scene.newEpic();
      return { by: 'guest', path: { id: scene.group.id, epic_iid: otherEpic.iid, issue_id: issue.id } };
    },
  ],
  removeEpicIssue: async (scene) => ({ by: 'guest', path: await createAssociation(scene) }),
  reorderEpicIssue: async (scene) => {
    const epic = await scene.newEpic();
    const [first, second] = [await createAssociation(scene, epic), await createAssociation(scene, epic)];
    return { by: 'guest', path: first, params: { move_after_id: second.epic_issue_id } };
  },
};
