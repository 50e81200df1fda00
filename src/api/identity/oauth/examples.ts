import { cookieHeader, filledForm, signedInVisit } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { PASSWORD } from '#test/support/browser.ts';
import type * as endpoints from './endpoints.ts';

const redirect_uri = 'https://app.test/cb';

async function newApplication({ callers: { administrator }, name, expectSuccess }: Scene) {
  const order = { name: name('app'), redirect_uri, scopes: 'api read_user' };
  const { application_id, secret } = (await expectSuccess(administrator.post('/applications', order))).body;
  return { client_id: application_id as string, client_secret: secret as string };
}

/** A user's form, from the page that asks whether a new application may act for him. */
async function consentForm(scene: Scene) {
  const { client_id } = await newApplication(scene);
  const visit = await signedInVisit(scene);
  const asked = { client_id, redirect_uri, response_type: 'code', state: 's' };
  await scene.expectSuccess(visit.get(`//oauth/authorize?${new URLSearchParams(asked)}`));
  return filledForm(visit, asked);
}

async function newToken(scene: Scene) {
  const client = await newApplication(scene);
  const { username } = await scene.userWithPassword();
  const params = { ...client, grant_type: 'password', username, password: PASSWORD };
  const { access_token } = (await scene.expectSuccess(scene.callers.anonymous.post('//oauth/token', params))).body;
  return { client, token: access_token as string };
}

export const examples: Examples<typeof endpoints> = {
  issueOAuthToken: [
    async (scene) => ({
      by: 'anonymous',
      params: { grant_type: 'client_credentials', ...(await newApplication(scene)) },
    }),
    async (scene) => {
      const { username } = await scene.userWithPassword();
      return { by: 'anonymous', params: { grant_type: 'password', username, password: PASSWORD } };
    },
  ],
  getAuthorizationPage: async (scene) => {
    const { client_id } = await newApplication(scene);
    const headers = cookieHeader(await signedInVisit(scene));
    return { by: 'anonymous', params: { client_id, redirect_uri, response_type: 'code' }, headers };
  },
  authorizeApplication: async (scene) => ({ by: 'anonymous', ...(await consentForm(scene)) }),
  denyApplication: async (scene) => ({ by: 'anonymous', ...(await consentForm(scene)) }),
  revokeOAuthToken: async (scene) => {
    const { client, token } = await newToken(scene);
    return { by: 'anonymous', params: { ...client, token } };
  },
  getOAuthTokenInfo: async (scene) => {
    const { token } = await newToken(scene);
    return { by: 'anonymous', headers: { Authorization: `Bearer ${token}` } };
  },
  introspectOAuthToken: async (scene) => {
    const { client, token } = await newToken(scene);
    return { by: 'anonymous', params: { ...client, token } };
  },
};
