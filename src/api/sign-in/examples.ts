import { browser, PASSWORD } from '../../../test/browser.ts';
import type { Examples } from '../../../test/examples/example.ts';
import type { Scene } from '../../../test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** The form as a browser sends it that has just loaded its page. */
async function filledForm({ callers: { anonymous } }: Scene, user: Readonly<Record<string, string>>) {
  const visit = browser({ anonymous });
  await visit.get('//users/sign_in');
  const fields = new URLSearchParams({ authenticity_token: visit.csrfToken() });
  for (const [name, value] of Object.entries(user)) fields.set(`user[${name}]`, value);
  return {
    raw: fields.toString(),
    headers: {
      Cookie: `_service_session=${visit.cookie()}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
  };
}

async function newUser({ callers: { administrator }, name, done }: Scene) {
  const username = name('user');
  const user = { username, email: `${username}@hearth.test`, name: 'Mira', password: PASSWORD };
  return (await done(administrator.post('/users', user))).body as { id: number; username: string };
}

export const examples: Examples<typeof endpoints> = {
  readHomePage: () => ({ by: 'anonymous' }),
  readSignInPage: () => ({ by: 'anonymous' }),
  signIn: [
    async (scene) => {
      const { username: login } = await newUser(scene);
      return { by: 'anonymous', ...(await filledForm(scene, { login, password: PASSWORD })) };
    },
    async (scene) => {
      const { id, username: login } = await newUser(scene);
      await scene.done(scene.callers.administrator.put(`/users/${id}`, { password: `${PASSWORD}-set` }));
      const passwords = { password: `${PASSWORD}-set`, new_password: `${PASSWORD}-chosen` };
      return { by: 'anonymous', ...(await filledForm(scene, { login, ...passwords })) };
    },
  ],
  signOut: () => ({ by: 'anonymous' }),
  deleteSession: () => ({ by: 'anonymous' }),
};
