import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Creates an issue that blocks another one in the scene's project, and returns the path of the link. */
async function createLink({ project, newIssue, expectSuccess }: Scene) {
  const [issue, blockedIssue] = [await newIssue(), await newIssue()];
  const newParams = { target_project_id: project.id, target_issue_iid: blockedIssue.iid, link_type: 'blocks' };
  const { body } = await expectSuccess(project.owner.post(`${project.at}/issues/${issue.iid}/links`, newParams));
  return { id: project.id, issue_iid: issue.iid, issue_link_id: body.id as number };
}

export const examples: Examples<typeof endpoints> = {
  listIssueLinks: async (scene) => {
    const { id, issue_iid } = await createLink(scene);
    return { by: 'guest', path: { id, issue_iid } };
  },
  getIssueLink: async (scene) => ({ by: 'guest', path: await createLink(scene) }),
  createIssueLink: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
    params: { target_project_id: project.id, target_issue_iid: (await newIssue()).iid, link_type: 'is_blocked_by' },
  }),
  deleteIssueLink: async (scene) => ({ by: 'guest', path: await createLink(scene) }),
};
