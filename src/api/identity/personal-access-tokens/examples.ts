import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Creates a token of the developer and returns its id. */
async function createTokenOfDeveloper({
  callers: { administrator, developer },
  name,
  expectSuccess,
}: Scene): Promise<number> {
  const params = { name: name('token'), scopes: ['read_api'] };
  return (await expectSuccess(administrator.post(`/users/${developer.id}/personal_access_tokens`, params))).body.id;
}

export const examples: Examples<typeof endpoints> = {
  createUserPersonalAccessToken: ({ callers, name }) => ({
    by: 'administrator',
    path: { user_id: callers.developer.id },
    params: { name: name('token'), scopes: ['read_api'] },
  }),
  createOwnPersonalAccessToken: ({ name }) => ({
    by: 'stranger',
    params: { name: name('token'), scopes: ['k8s_proxy'] },
  }),
  listPersonalAccessTokens: () => ({ by: 'stranger' }),
  getOwnPersonalAccessToken: () => ({ by: 'stranger' }),
  revokeOwnPersonalAccessToken: () => ({ by: 'stranger', proof: 'spare' }),
  rotateOwnPersonalAccessToken: () => ({ by: 'stranger', proof: 'spare' }),
  getPersonalAccessToken: async (scene) => ({ by: 'developer', path: { id: await createTokenOfDeveloper(scene) } }),
  revokePersonalAccessToken: async (scene) => ({ by: 'developer', path: { id: await createTokenOfDeveloper(scene) } }),
  rotatePersonalAccessToken: async (scene) => ({ by: 'developer', path: { id: await createTokenOfDeveloper(scene) } }),
};
