import assert from 'node:assert/strict';
import { type Browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import type { Caller, TestResponse, World } from '#test/support/world.ts';

export const CALLBACK = 'https://app.test/cb';

export interface Client {
  readonly id: number;
  readonly client_id: string;
  readonly client_secret: string;
}

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Of a form. */
export type FormFields = Readonly<Record<string, string>>;

/** What tests of OAuth count on. */
export function oauthFixtures(here: World) {
  const { root, anonymous, name } = here;

  async function application(changes: Readonly<Record<string, unknown>> = {}): Promise<Client> {
    const order = { name: name('app'), redirect_uri: CALLBACK, scopes: 'api read_user', ...changes };
    const { status, body, text } = await root.post('/applications', order);
    assert.equal(status, 201, text);
    return { id: body.id, client_id: body.application_id, client_secret: body.secret };
  }

  /** Sends a form to `/oauth/token`. */
  const token = (fields: FormFields, headers: FormFields = {}): Promise<TestResponse> =>
    anonymous.send('POST', '//oauth/token', {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });

  async function pair(fields: FormFields): Promise<TokenPair> {
    const { status, body, text } = await token(fields);
    assert.equal(status, 200, text);
    return body;
  }

  /** Both tokens of a user, by his password. */
  const byPassword = ({ username }: Caller, fields: FormFields = {}) =>
    pair({ grant_type: 'password', username, password: PASSWORD, ...fields });

  /** The user's answer to the page that asks: where the browser is sent. */
  async function answerOf(visit: Browser, asked: FormFields, answer: FormFields = {}): Promise<URL> {
    const page = await visit.get(`//oauth/authorize?${new URLSearchParams(asked)}`);
    assert.equal(page.status, 200, page.text);
    const { status, headers, text } = await visit.submit('//oauth/authorize', { ...asked, ...answer });
    assert.equal(status, 302, text);
    return new URL(headers.location as string);
  }

  /** A code that the user has let the client have. */
  async function code(visit: Browser, { client_id }: Client, fields: FormFields = {}): Promise<string> {
    const asked = { client_id, redirect_uri: CALLBACK, response_type: 'code', ...fields };
    const url = await answerOf(visit, asked);
    const given = url.searchParams.get('code');
    assert.match(given ?? '', /^[0-9a-f]{64}$/, url.href);
    return given as string;
  }

  const bearing = (access_token: string) => ({ Authorization: `Bearer ${access_token}` });
  const withBearer = (access_token: string, path = '/user') => anonymous.get(path, {}, bearing(access_token));

  async function person(): Promise<{ readonly mira: Caller; readonly visit: Browser }> {
    const mira = await userWithPassword(here);
    return { mira, visit: await signedInBrowser(here, mira) };
  }

  return { application, token, pair, byPassword, answerOf, code, bearing, withBearer, person };
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
