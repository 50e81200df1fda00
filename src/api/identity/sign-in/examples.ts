import { filledForm } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { browser, PASSWORD } from '#test/support/browser.ts';
import type * as endpoints from './endpoints.ts';

/** Returns the sign-in request of a browser that has loaded the sign-in page. */
async function signInForm({ callers: { anonymous } }: Scene, user: Readonly<Record<string, string>>) {
  const testBrowser = browser({ anonymous });
  await testBrowser.get('//users/sign_in');
  const fields = Object.entries(user).map(([name, value]) => [`user[${name}]`, value]);
  return filledForm(testBrowser, Object.fromEntries(fields));
}

export const examples: Examples<typeof endpoints> = {
  getHomePage: () => ({ by: 'anonymous' }),
  getSignInPage: () => ({ by: 'anonymous' }),
  signIn: [
    async (scene) => {
      const { username: login } = await scene.userWithPassword();
      return { by: 'anonymous', ...(await signInForm(scene, { login, password: PASSWORD })) };
    },
    async (scene) => {
      const { id, username: login } = await scene.userWithPassword();
      await scene.expectSuccess(scene.callers.administrator.put(`/users/${id}`, { password: `${PASSWORD}-set` }));
      const passwords = { password: `${PASSWORD}-set`, new_password: `${PASSWORD}-chosen` };
      return { by: 'anonymous', ...(await signInForm(scene, { login, ...passwords })) };
    },
  ],
  signOut: () => ({ by: 'anonymous' }),
  deleteSession: () => ({ by: 'anonymous' }),
};
