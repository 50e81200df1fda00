import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';
import { generateSshKey } from './fixtures.testing.ts';

/** Enables the feature for the scene's group and returns the group. */
async function enableForGroup({ group, callers, expectSuccess }: Scene): Promise<Scene['group']> {
  const flag = { value: true, group: group.full_path };
  await expectSuccess(callers.administrator.post('/features/ssh_certificates_rest_endpoints', flag));
  return group;
}

async function createCertificate(scene: Scene) {
  const group = await enableForGroup(scene);
  const input = { title: scene.name('CA'), key: generateSshKey() };
  const { body } = await scene.expectSuccess(scene.callers.owner.post(`${group.at}/ssh_certificates`, input));
  return { id: group.id, certificate_id: body.id as number };
}

export const examples: Examples<typeof endpoints> = {
  listSshCertificates: async (scene) => ({ by: 'owner', path: { id: (await enableForGroup(scene)).id } }),
  createSshCertificate: async (scene) => ({
    by: 'owner',
    path: { id: (await enableForGroup(scene)).id },
    params: { title: scene.name('CA'), key: generateSshKey() },
  }),
  deleteSshCertificate: async (scene) => ({ by: 'owner', path: await createCertificate(scene) }),
};
