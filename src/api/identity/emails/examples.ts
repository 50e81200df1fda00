import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const generateAddress = ({ name }: Pick<Scene, 'name'>) => `${name('address')}@hearth.test`;

/** Adds an address to the developer and returns its id. Other users cannot see it. */
async function createEmailOfDeveloper(scene: Scene): Promise<number> {
  const { callers, expectSuccess } = scene;
  return (await expectSuccess(callers.developer.post('/user/emails', { email: generateAddress(scene) }))).body.id;
}

export const examples: Examples<typeof endpoints> = {
  listOwnEmails: () => ({ by: 'stranger' }),
  getOwnEmail: async (scene) => ({ by: 'developer', path: { email_id: await createEmailOfDeveloper(scene) } }),
  createOwnEmail: (scene) => ({ by: 'stranger', params: { email: generateAddress(scene) } }),
  deleteOwnEmail: async (scene) => ({ by: 'developer', path: { email_id: await createEmailOfDeveloper(scene) } }),
  listUserEmails: ({ callers }) => ({ by: 'administrator', path: { id: callers.developer.id } }),
  createUserEmail: (scene) => ({
    by: 'administrator',
    path: { id: scene.callers.developer.id },
    params: { email: generateAddress(scene), skip_confirmation: true },
  }),
  deleteUserEmail: async (scene) => ({
    by: 'administrator',
    path: { id: scene.callers.developer.id, email_id: await createEmailOfDeveloper(scene) },
  }),
};
