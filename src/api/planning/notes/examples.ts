import type { Examples } from '../../../../test/examples/example.ts';
import type { Scene } from '../../../../test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Of the project's owner. */
async function newNote({ project, newIssue, done }: Scene) {
  const { iid } = await newIssue();
  const { body } = await done(project.owner.post(`${project.at}/issues/${iid}/notes`, { body: 'It spins' }));
  return { id: project.id, issue_iid: iid, note_id: body.id };
}

export const examples: Examples<typeof endpoints> = {
  listIssueNotes: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  readIssueNote: async (scene) => ({ by: 'guest', path: await newNote(scene) }),
  createIssueNote: [
    async ({ project, newIssue }) => ({
      by: 'guest',
      path: { id: project.id, issue_iid: (await newIssue()).iid },
      params: { body: 'Seen on two hosts' },
    }),
    async ({ project, newIssue }) => {
      const [here, there] = [await newIssue(), await newIssue()];
      return {
        by: 'guest',
        path: { id: project.id, issue_iid: here.iid },
        params: { body: `As in #${there.iid}, ${project.path_with_namespace}#${there.iid}` },
      };
    },
  ],
  updateIssueNote: [
    async (scene) => ({ by: 'maintainer', path: await newNote(scene), params: { body: 'It spins fast' } }),
    async (scene) => {
      const { iid } = await scene.newIssue();
      return { by: 'maintainer', path: await newNote(scene), params: { body: `As #${iid} says` } };
    },
  ],
  deleteIssueNote: async (scene) => ({ by: 'maintainer', path: await newNote(scene) }),
};
