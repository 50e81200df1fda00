import type { Examples } from '../../../../test/examples/example.ts';
import type { Scene } from '../../../../test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Of its own merge request, which a developer has approved of. */
const approved = async ({ project, newMergeRequest, callers, done }: Scene) => {
  const { iid } = await newMergeRequest({ reviewer_ids: [callers.developer.id] });
  await done(callers.developer.post(`${project.at}/merge_requests/${iid}/approve`));
  return { id: project.id, merge_request_iid: iid };
};

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
  approveMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'developer',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  unapproveMergeRequest: async (scene) => ({ by: 'developer', path: await approved(scene) }),
  resetMergeRequestApprovals: async (scene) => ({
    by: 'stranger',
    path: await approved(scene),
    proof: { token: await botToken(scene) },
  }),
};
