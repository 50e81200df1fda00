import { cookieHeader, createSignedInBrowser, filledForm } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { PASSWORD } from '#test/support/browser.ts';
import type * as endpoints from './endpoints.ts';

const redirect_uri = 'https://app.test/cb';

async function createApplication({ callers: { administrator }, name, expectSuccess }: Scene) {
  const input = { name: name('app'), redirect_uri, scopes: 'api read_user' };
  const { application_id, secret } = (await expectSuccess(administrator.post('/applications', input))).body;
  return { client_id: application_id as string, client_secret: secret as string };
}

/** Returns the filled consent form of a user for a new application. */
async function consentForm(scene: Scene) {
  const { client_id } = await createApplication(scene);
  const browser = await createSignedInBrowser(scene);
  const authorizationRequest = { client_id, redirect_uri, response_type: 'code', state: 's' };
  await scene.expectSuccess(browser.get(`//oauth/authorize?${new URLSearchParams(authorizationRequest)}`));
  return filledForm(browser, authorizationRequest);
}

async function createToken(scene: Scene) {
  const client = await createApplication(scene);
  const { username } = await scene.userWithPassword();
  const params = { ...client, grant_type: 'password', username, password: PASSWORD };
  const { access_token } = (await scene.expectSuccess(scene.callers.anonymous.post('//oauth/token', params))).body;
  return { client, token: access_token as string };
}

export const examples: Examples<typeof endpoints> = {
  issueOAuthToken: [
    async (scene) => ({
      by: 'anonymous',
      params: { grant_type: 'client_credentials', ...(await createApplication(scene)) },
    }),
    async (scene) => {
      const { username } = await scene.userWithPassword();
      return { by: 'anonymous', params: { grant_type: 'password', username, password: PASSWORD } };
    },
  ],
  getAuthorizationPage: async (scene) => {
    const { client_id } = await createApplication(scene);
    const headers = cookieHeader(await createSignedInBrowser(scene));
    return { by: 'anonymous', params: { client_id, redirect_uri, response_type: 'code' }, headers };
  },
  authorizeApplication: async (scene) => ({ by: 'anonymous', ...(await consentForm(scene)) }),
  denyApplication: async (scene) => ({ by: 'anonymous', ...(await consentForm(scene)) }),
  revokeOAuthToken: async (scene) => {
    const { client, token } = await createToken(scene);
    return { by: 'anonymous', params: { ...client, token } };
  },
  getOAuthTokenInfo: async (scene) => {
    const { token } = await createToken(scene);
    return { by: 'anonymous', headers: { Authorization: `Bearer ${token}` } };
  },
  introspectOAuthToken: async (scene) => {
    const { client, token } = await createToken(scene);
    return { by: 'anonymous', params: { ...client, token } };
  },
};
