import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const buildInput = (name: string) => ({ name, redirect_uri: 'https://app.test/cb', scopes: 'read_user api' });

async function createTestApplication({ callers: { administrator }, name, expectSuccess }: Scene) {
  const { id } = (await expectSuccess(administrator.post('/applications', buildInput(name('app'))))).body;
  return { id: id as number };
}

export const examples: Examples<typeof endpoints> = {
  listApplications: () => ({ by: 'administrator' }),
  createApplication: ({ name }) => ({ by: 'administrator', params: buildInput(name('app')) }),
  deleteApplication: async (scene) => ({ by: 'administrator', path: await createTestApplication(scene) }),
  renewApplicationSecret: async (scene) => ({ by: 'administrator', path: await createTestApplication(scene) }),
};
