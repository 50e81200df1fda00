import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Creates a merge request by another developer, because authors may not approve their own. */
async function createByOtherAuthor({ project, name, newBranch, expectSuccess }: Scene, params: object = {}) {
  const author = await project.addMember('developer');
  const newParams = { title: name('Merge'), source_branch: await newBranch(), target_branch: 'main', ...params };
  const { iid } = (await expectSuccess(author.post(`${project.at}/merge_requests`, newParams))).body;
  return { id: project.id, merge_request_iid: iid };
}

/** Creates a merge request that every permitted caller has approved. */
async function createApproved(scene: Scene) {
  const { project, callers, expectSuccess } = scene;
  const path = await createByOtherAuthor(scene, { reviewer_ids: [callers.developer.id] });
  for (const approver of [callers.developer, callers.maintainer, callers.owner, callers.administrator]) {
    await expectSuccess(approver.post(`${project.at}/merge_requests/${path.merge_request_iid}/approve`));
  }
  return path;
}

async function createBotToken({ project, callers, name, expectSuccess }: Scene): Promise<string> {
  const input = { name: name('token'), scopes: ['api'], expires_at: '2026-12-01', access_level: 30 };
  return (await expectSuccess(callers.owner.post(`${project.at}/access_tokens`, input))).body.token;
}

export const examples: Examples<typeof endpoints> = {
  getMergeRequestApprovals: async (scene) => ({ by: 'planner', path: await createApproved(scene) }),
  getMergeRequestApprovalState: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  approveMergeRequest: async (scene) => ({ by: 'developer', path: await createByOtherAuthor(scene) }),
  unapproveMergeRequest: async (scene) => ({ by: 'developer', path: await createApproved(scene) }),
  resetMergeRequestApprovals: async (scene) => ({
    by: 'stranger',
    path: await createApproved(scene),
    proof: { token: await createBotToken(scene) },
  }),
};
