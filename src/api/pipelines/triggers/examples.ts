import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function createTrigger({ project, expectSuccess }: Scene) {
  const { body } = await expectSuccess(project.owner.post(`${project.at}/triggers`, { description: 'nightly' }));
  return { path: { id: project.id, trigger_id: body.id as number }, token: body.token as string };
}

/** Creates a branch with a CI file, and a trigger token. */
async function createTriggerableBranch(scene: Scene) {
  const { project, newBranch, expectSuccess } = scene;
  const branch = await newBranch();
  const file = { branch, content: 'unit: {script: make test}\n', commit_message: 'Add a CI file' };
  await expectSuccess(project.owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file));
  return { branch, token: (await createTrigger(scene)).token };
}

/** Builds an example of a call on a new trigger. */
const buildTriggerExample =
  (by: 'maintainer' | 'owner', params?: Readonly<Record<string, unknown>>): Build =>
  async (scene) => ({ by, path: (await createTrigger(scene)).path, ...(params && { params }) });

export const examples: Examples<typeof endpoints> = {
  listTriggers: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  createTrigger: ({ project }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { description: 'nightly', expires_at: '2026-12-31' },
  }),
  getTrigger: buildTriggerExample('maintainer'),
  updateTrigger: buildTriggerExample('owner', { description: 'weekly' }),
  deleteTrigger: buildTriggerExample('maintainer'),
  triggerPipeline: async (scene) => {
    const { branch, token } = await createTriggerableBranch(scene);
    const variables = { MODE: 'full' };
    return { by: 'anonymous', path: { id: scene.project.id }, params: { token, ref: branch, variables } };
  },
  triggerPipelineOfRef: async (scene) => {
    const { branch, token } = await createTriggerableBranch(scene);
    return { by: 'anonymous', path: { id: scene.project.id, ref: branch }, params: { token } };
  },
};
