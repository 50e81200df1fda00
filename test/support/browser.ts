import assert from 'node:assert/strict';
import type { Caller, SendOptions, TestResponse } from './caller.ts';
import type { World } from './world.ts';

/** A browser without scripts: it stores the session cookie and follows no redirects. */
export interface Browser {
  /** Returns the value of the session cookie, or null. */
  cookie(): string | null;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
  /** Submits a form with the CSRF token of the last page, unless `fields` has its own token. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<TestResponse>;
  send(method: string, path: string, sending?: SendOptions): Promise<TestResponse>;
  /** Returns the CSRF token of the last page. */
  csrfToken(): string;
  /** Loads the sign-in page, submits its form and returns the response. */
  signIn(login: string, password: string): Promise<TestResponse>;
}

export function browser({ anonymous }: Pick<World, 'anonymous'>, cookie: string | null = null): Browser {
  let [kept, token] = [cookie, ''];
  const send: Browser['send'] = async (method, path, sending = {}) => {
    const headers = { ...(kept === null ? {} : { Cookie: `other=1; _service_session=${kept}` }), ...sending.headers };
    const answer = await anonymous.send(method, path, { ...sending, headers });
    kept = cookieAfter(answer, kept);
    token = /<meta name="csrf-token" content="([^"]+)">/.exec(answer.text)?.[1] ?? token;
    return answer;
  };
  const submit: Browser['submit'] = (path, fields = {}) =>
    send('POST', path, {
      raw: new URLSearchParams({ ...(token === '' ? {} : { authenticity_token: token }), ...fields }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  return {
    cookie: () => kept,
    csrfToken: () => token,
    send,
    submit,
    get: (path, headers) => send('GET', path, { headers }),
    async signIn(login, password) {
      await send('GET', '//users/sign_in');
      return submit('//users/sign_in', { 'user[login]': login, 'user[password]': password });
    },
  };
}

function cookieAfter({ headers }: TestResponse, before: string | null): string | null {
  const set = headers['set-cookie']?.find((line) => line.startsWith('_service_session='));
  if (set === undefined) return before;
  return /Max-Age=0/.test(set) ? null : (/^_service_session=([^;]*)/.exec(set)?.[1] ?? null);
}

export const PASSWORD = 'violet-anvil-harbour-42';

/** The hash of `PASSWORD` at the lowest scrypt cost, so that sign-in in tests is fast. */
export const PASSWORD_HASH = '$scrypt$ln=4,r=8,p=1$c2FsdCBvZiB0aGUgdGVzdHM$INieDdNa6xpmRzqwAqVRpHbkr2LVp4pMlBOz3SGa_Uk';

/** Creates a user with the password `PASSWORD` and a token. */
export function userWithPassword({ user }: Pick<World, 'user'>): Promise<Caller> {
  return user({ passwordHash: PASSWORD_HASH });
}

/** Returns a browser in which this user is signed in; it has loaded the home page. */
export async function signedInBrowser(world: World, { username }: Caller): Promise<Browser> {
  const visit = browser(world);
  const answer = await visit.signIn(username, PASSWORD);
  assert.equal(answer.status, 302, answer.text);
  await visit.get('//');
  return visit;
}
