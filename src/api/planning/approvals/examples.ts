import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** By a developer who is none of the callers: nobody approves of his own. */
async function ofAnother({ project, name, newBranch, done }: Scene, params: object = {}) {
  const author = await project.add('developer');
  const wish = { title: name('Merge'), source_branch: await newBranch(), target_branch: 'main', ...params };
  const { iid } = (await done(author.post(`${project.at}/merge_requests`, wish))).body;
  return { id: project.id, merge_request_iid: iid };
}

/** The same, which everybody has approved of who may. */
async function approved(scene: Scene) {
  const { project, callers, done } = scene;
  const path = await ofAnother(scene, { reviewer_ids: [callers.developer.id] });
  for (const by of [callers.developer, callers.maintainer, callers.owner, callers.administrator]) {
    await done(by.post(`${project.at}/merge_requests/${path.merge_request_iid}/approve`));
  }
  return path;
}

async function botToken({ project, callers, name, done }: Scene): Promise<string> {
  const order = { name: name('token'), scopes: ['api'], expires_at: '2026-12-01', access_level: 30 };
  return (await done(callers.owner.post(`${project.at}/access_tokens`, order))).body.token;
}

export const examples: Examples<typeof endpoints> = {
  readMergeRequestApprovals: async (scene) => ({ by: 'planner', path: await approved(scene) }),
  readMergeRequestApprovalState: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  approveMergeRequest: async (scene) => ({ by: 'developer', path: await ofAnother(scene) }),
  unapproveMergeRequest: async (scene) => ({ by: 'developer', path: await approved(scene) }),
  resetMergeRequestApprovals: async (scene) => ({
    by: 'stranger',
    path: await approved(scene),
    proof: { token: await botToken(scene) },
  }),
};
