import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';
import { lockAccount } from './fixtures.testing.ts';

/** Builds a call on a new user after an administrator has called these endpoints for that user (`block`). */
const callOnNewUser =
  (...steps: string[]): Build =>
  async ({ user, callers, expectSuccess }) => {
    const { id } = await user();
    for (const step of steps) await expectSuccess(callers.administrator.post(`/users/${id}/${step}`));
    return { by: 'administrator', path: { id } };
  };

export const examples: Examples<typeof endpoints> = {
  getCurrentUser: () => ({ by: 'stranger' }),
  listUsers: ({ callers }) => ({ by: 'anonymous', params: { username: callers.developer.username } }),
  getUser: ({ callers }) => ({ by: 'stranger', path: { id: callers.developer.id } }),
  createUser: ({ name }) => {
    const username = name('person');
    const params = { username, name: username, email: `${username}@hearth.test`, force_random_password: true };
    return { by: 'administrator', params };
  },
  updateUser: [
    async ({ user, name }) => ({
      by: 'administrator',
      path: { id: (await user()).id },
      params: {
        username: name('person'),
        name: name('Person'),
        email: `${name('person')}@hearth.test`,
        skip_reconfirmation: true,
        admin: true,
      },
    }),
    async ({ user }) => ({
      by: 'administrator',
      path: { id: (await user()).id },
      params: { password: 'correct-horse-battery-staple' },
    }),
  ],
  blockUser: callOnNewUser(),
  unblockUser: callOnNewUser('block'),
  unlockUser: async ({ user, server }) => {
    const { id } = await user();
    await lockAccount(server, id);
    return { by: 'administrator', path: { id } };
  },
  deactivateUser: callOnNewUser(),
  activateUser: callOnNewUser('deactivate'),
  banUser: callOnNewUser(),
  unbanUser: callOnNewUser('ban'),
};
