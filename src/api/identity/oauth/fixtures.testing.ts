import assert from 'node:assert/strict';
import { type Browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import type { Caller, TestResponse, World } from '#test/support/world.ts';

export const CALLBACK = 'https://app.test/cb';

export interface Client {
  readonly id: number;
  readonly client_id: string;
  readonly client_secret: string;
}

interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Form fields by name. */
export type FormFields = Readonly<Record<string, string>>;

/** Returns helpers for OAuth tests. */
export function oauthFixtures(world: World) {
  const { root, anonymous, name } = world;

  async function createApplication(overrides: Readonly<Record<string, unknown>> = {}): Promise<Client> {
    const input = { name: name('app'), redirect_uri: CALLBACK, scopes: 'api read_user', ...overrides };
    const { status, body, text } = await root.post('/applications', input);
    assert.equal(status, 201, text);
    return { id: body.id, client_id: body.application_id, client_secret: body.secret };
  }

  /** Sends a form to `/oauth/token`. */
  const requestToken = (fields: FormFields, headers: FormFields = {}): Promise<TestResponse> =>
    anonymous.send('POST', '//oauth/token', {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });

  async function requestTokenPair(fields: FormFields): Promise<TokenPair> {
    const { status, body, text } = await requestToken(fields);
    assert.equal(status, 200, text);
    return body;
  }

  const requestTokenPairByPassword = ({ username }: Caller, fields: FormFields = {}) =>
    requestTokenPair({ grant_type: 'password', username, password: PASSWORD, ...fields });

  /** Submits the consent page and returns the redirect URL. */
  async function submitConsent(
    browser: Browser,
    authorizationRequest: FormFields,
    formFields: FormFields = {},
  ): Promise<URL> {
    const page = await browser.get(`//oauth/authorize?${new URLSearchParams(authorizationRequest)}`);
    assert.equal(page.status, 200, page.text);
    const fields = { ...authorizationRequest, ...formFields };
    const { status, headers, text } = await browser.submit('//oauth/authorize', fields);
    assert.equal(status, 302, text);
    return new URL(headers.location as string);
  }

  /** Returns an authorization code that the user of the browser has granted to the client. */
  async function requestCode(browser: Browser, { client_id }: Client, fields: FormFields = {}): Promise<string> {
    const authorizationRequest = { client_id, redirect_uri: CALLBACK, response_type: 'code', ...fields };
    const url = await submitConsent(browser, authorizationRequest);
    const code = url.searchParams.get('code');
    assert.match(code ?? '', /^[0-9a-f]{64}$/, url.href);
    return code as string;
  }

  const createBearerHeaders = (access_token: string) => ({ Authorization: `Bearer ${access_token}` });
  const getWithBearer = (access_token: string, path = '/user') =>
    anonymous.get(path, {}, createBearerHeaders(access_token));

  async function createSignedInUser(): Promise<{ readonly user: Caller; readonly browser: Browser }> {
    const user = await userWithPassword(world);
    return { user, browser: await signedInBrowser(world, user) };
  }

  return {
    createApplication,
    requestToken,
    requestTokenPair,
    requestTokenPairByPassword,
    submitConsent,
    requestCode,
    createBearerHeaders,
    getWithBearer,
    createSignedInUser,
  };
}

export const INVALID_GRANT = {
  error: 'invalid_grant',
  error_description:
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
};

export const INVALID_CLIENT = {
  error: 'invalid_client',
  error_description:
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
};
