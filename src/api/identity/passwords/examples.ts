import { createPasswordLinkToken } from '#authentication/users/password-links.ts';
import { filledForm } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { browser } from '#test/support/browser.ts';
import { lockAccount } from '../users/fixtures.testing.ts';
import type * as endpoints from './endpoints.ts';

/** Returns a user and the token of a link that sets their password. */
async function userWithLink({ user, server }: Scene): Promise<{ id: number; token: string }> {
  const { id } = await user();
  const token = await server.services.database.transaction((tx) => createPasswordLinkToken(tx, id));
  return { id, token };
}

/** Opens the link in a browser. Returns the cookies and fields of the form that sets a new password. */
async function passwordForm(
  { callers: { anonymous } }: Scene,
  token: string,
  fields: Readonly<Record<string, string>>,
) {
  const testBrowser = browser({ anonymous });
  await testBrowser.get(`//users/password/edit?reset_password_token=${token}`);
  const password = 'amber-lantern-quarry-19';
  return filledForm(testBrowser, { 'user[reset_password_token]': token, 'user[password]': password, ...fields });
}

export const examples: Examples<typeof endpoints> = {
  getPasswordRequestPage: () => ({ by: 'anonymous' }),
  getPasswordPage: async (scene) => {
    const { token } = await userWithLink(scene);
    return { by: 'anonymous', params: { reset_password_token: token } };
  },
  // A POST with `_method=put`, as forms send it, sets the password.
  createPasswordRequest: [
    async (scene) => {
      const { token } = await userWithLink(scene);
      return { by: 'anonymous', ...(await passwordForm(scene, token, { _method: 'put' })) };
    },
    async (scene) => {
      const { id, token } = await userWithLink(scene);
      await lockAccount(scene.server, id);
      return { by: 'anonymous', ...(await passwordForm(scene, token, { _method: 'put' })) };
    },
  ],
  updatePassword: [
    async (scene) => {
      const { token } = await userWithLink(scene);
      return { by: 'anonymous', ...(await passwordForm(scene, token, {})) };
    },
    async (scene) => {
      const { id, token } = await userWithLink(scene);
      await lockAccount(scene.server, id);
      return { by: 'anonymous', ...(await passwordForm(scene, token, {})) };
    },
  ],
};
