import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function createRegistrationToken({ project, expectSuccess }: Scene): Promise<string> {
  return (await expectSuccess(project.owner.post(`${project.at}/runners/reset_registration_token`))).body.token;
}

export const examples: Examples<typeof endpoints> = {
  createRunner: [
    ({ project }) => ({ by: 'maintainer', params: { runner_type: 'project_type', project_id: project.id } }),
    ({ group }) => ({ by: 'owner', params: { runner_type: 'group_type', group_id: group.id } }),
    () => ({ by: 'administrator', params: { runner_type: 'instance_type' } }),
  ],
  registerRunner: async (scene) => ({
    by: 'anonymous',
    params: { token: await createRegistrationToken(scene), description: 'build box' },
  }),
  verifyRunner: async ({ newRunner }) => ({
    by: 'anonymous',
    params: { token: (await newRunner()).token, system_id: 's_1', info: { version: '18.1.0' } },
  }),
  getRunner: async ({ newRunner }) => ({ by: 'maintainer', path: { id: (await newRunner()).id } }),
  resetInstanceRegistrationToken: () => ({ by: 'administrator' }),
  resetGroupRegistrationToken: ({ group }) => ({ by: 'owner', path: { id: group.id } }),
  resetProjectRegistrationToken: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  resetRunnerAuthenticationToken: async ({ newRunner }) => ({ by: 'maintainer', path: { id: (await newRunner()).id } }),
  resetOwnAuthenticationToken: async ({ newRunner }) => ({
    by: 'anonymous',
    params: { token: (await newRunner()).token },
  }),
  unregisterRunner: async ({ newRunner }) => ({ by: 'anonymous', params: { token: (await newRunner()).token } }),
  unregisterManager: async ({ newRunner, callers, expectSuccess }) => {
    const params = { token: (await newRunner()).token, system_id: 's_1' };
    await expectSuccess(callers.anonymous.post('/runners/verify', params));
    return { by: 'anonymous', params };
  },
  listRunnerManagers: async ({ newRunner }) => ({ by: 'maintainer', path: { id: (await newRunner()).id } }),
  updateRunner: async ({ newRunner }) => ({
    by: 'maintainer',
    path: { id: (await newRunner()).id },
    params: { paused: true },
  }),
  deleteRunner: async ({ newRunner }) => ({ by: 'maintainer', path: { id: (await newRunner()).id } }),
  listRunnerProjects: async ({ newRunner }) => ({ by: 'maintainer', path: { id: (await newRunner()).id } }),
  listRunners: [
    () => ({ by: 'stranger' }),
    () => ({ by: 'maintainer', params: { status: 'online', paused: false, tag_list: 'a,b', version_prefix: '18.1' } }),
  ],
  listAllRunners: [
    () => ({ by: 'administrator' }),
    () => ({ by: 'administrator', params: { type: 'group_type', status: 'stale' } }),
    () => ({ by: 'administrator', params: { scope: 'never_contacted' } }),
    () => ({ by: 'administrator', params: { tag_list: 'a', version_prefix: '18' } }),
  ],
  listProjectRunners: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  listGroupRunners: ({ group }) => ({ by: 'maintainer', path: { id: group.id } }),
  assignRunner: async ({ project, newProject, newRunner }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { runner_id: (await newRunner(await newProject())).id },
  }),
  unassignRunner: async ({ project, newProject, newRunner, expectSuccess }) => {
    const { id } = await newRunner(await newProject());
    await expectSuccess(project.owner.post(`${project.at}/runners`, { runner_id: id }));
    return { by: 'maintainer', path: { id: project.id, runner_id: id } };
  },
  discoverRouter: async ({ newRunner }) => ({
    by: 'anonymous',
    headers: { 'Runner-Token': (await newRunner()).token },
  }),
};
