import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function newTrigger({ project, expectSuccess }: Scene) {
  const { body } = await expectSuccess(project.owner.post(`${project.at}/triggers`, { description: 'nightly' }));
  return { path: { id: project.id, trigger_id: body.id as number }, token: body.token as string };
}

/** Creates a branch with a CI file, and a trigger token. */
async function startable(scene: Scene) {
  const { project, newBranch, expectSuccess } = scene;
  const branch = await newBranch();
  const file = { branch, content: 'unit: {script: make test}\n', commit_message: 'Say what runs' };
  await expectSuccess(project.owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file));
  return { branch, token: (await newTrigger(scene)).token };
}

const onOne =
  (by: 'maintainer' | 'owner', params?: Readonly<Record<string, unknown>>): Build =>
  async (scene) => ({ by, path: (await newTrigger(scene)).path, ...(params && { params }) });

export const examples: Examples<typeof endpoints> = {
  listTriggers: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  createTrigger: ({ project }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { description: 'nightly', expires_at: '2026-12-31' },
  }),
  getTrigger: onOne('maintainer'),
  updateTrigger: onOne('owner', { description: 'weekly' }),
  deleteTrigger: onOne('maintainer'),
  triggerPipeline: async (scene) => {
    const { branch, token } = await startable(scene);
    const variables = { MODE: 'full' };
    return { by: 'anonymous', path: { id: scene.project.id }, params: { token, ref: branch, variables } };
  },
  triggerPipelineOfRef: async (scene) => {
    const { branch, token } = await startable(scene);
    return { by: 'anonymous', path: { id: scene.project.id, ref: branch }, params: { token } };
  },
};
