import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const buildInput = (name: string) => ({ name, scopes: ['read_api'], expires_at: '2026-12-01' });

async function createTestToken({ callers: { administrator, developer }, name, expectSuccess }: Scene) {
  const path = `/users/${developer.id}/impersonation_tokens`;
  const { id } = (await expectSuccess(administrator.post(path, buildInput(name('token'))))).body;
  return { user_id: developer.id, impersonation_token_id: id as number };
}

export const examples: Examples<typeof endpoints> = {
  listImpersonationTokens: ({ callers }) => ({ by: 'administrator', path: { user_id: callers.developer.id } }),
  createImpersonationToken: ({ callers, name }) => ({
    by: 'administrator',
    path: { user_id: callers.developer.id },
    params: buildInput(name('token')),
  }),
  getImpersonationToken: async (scene) => ({ by: 'administrator', path: await createTestToken(scene) }),
  deleteImpersonationToken: async (scene) => ({ by: 'administrator', path: await createTestToken(scene) }),
};
