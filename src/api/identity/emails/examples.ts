import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const newAddress = ({ name }: Pick<Scene, 'name'>) => `${name('address')}@hearth.test`;

/** The developer's: others see nothing of it. */
async function newEmail(scene: Scene): Promise<number> {
  const { callers, expectSuccess } = scene;
  return (await expectSuccess(callers.developer.post('/user/emails', { email: newAddress(scene) }))).body.id;
}

export const examples: Examples<typeof endpoints> = {
  listOwnEmails: () => ({ by: 'stranger' }),
  getOwnEmail: async (scene) => ({ by: 'developer', path: { email_id: await newEmail(scene) } }),
  createOwnEmail: (scene) => ({ by: 'stranger', params: { email: newAddress(scene) } }),
  deleteOwnEmail: async (scene) => ({ by: 'developer', path: { email_id: await newEmail(scene) } }),
  listUserEmails: ({ callers }) => ({ by: 'administrator', path: { id: callers.developer.id } }),
  createUserEmail: (scene) => ({
    by: 'administrator',
    path: { id: scene.callers.developer.id },
    params: { email: newAddress(scene), skip_confirmation: true },
  }),
  deleteUserEmail: async (scene) => ({
    by: 'administrator',
    path: { id: scene.callers.developer.id, email_id: await newEmail(scene) },
  }),
};
