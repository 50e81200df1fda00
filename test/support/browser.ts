import assert from 'node:assert/strict';
import type { Answer, Caller, Sending } from './caller.ts';
import type { World } from './world.ts';

/** Somebody who visits pages: keeps the session cookie and follows no redirect by itself. */
export interface Browser {
  /** The value of the session cookie; null: none. */
  cookie(): string | null;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form; the token of the page that was seen last comes along unless `fields` has one. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<Answer>;
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** What the page that was seen last has for its forms. */
  csrfToken(): string;
  /** GET of the form, then the form: the answer to it. */
  signIn(login: string, password: string): Promise<Answer>;
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

function cookieAfter({ headers }: Answer, before: string | null): string | null {
  const set = headers['set-cookie']?.find((line) => line.startsWith('_service_session='));
  if (set === undefined) return before;
  return /Max-Age=0/.test(set) ? null : (/^_service_session=([^;]*)/.exec(set)?.[1] ?? null);
}

export const PASSWORD = 'violet-anvil-harbour-42';

/**
 * Its hash, which says of itself that it costs next to nothing: who has to sign in before a test begins need not have the
 * machine work for it as for a thief.
 */
export const PASSWORD_HASH = '$scrypt$ln=4,r=8,p=1$c2FsdCBvZiB0aGUgdGVzdHM$INieDdNa6xpmRzqwAqVRpHbkr2LVp4pMlBOz3SGa_Uk';

/** A new user with a password, `PASSWORD`, and a token. */
export function userWithPassword({ user }: Pick<World, 'user'>): Promise<Caller> {
  return user({ passwordHash: PASSWORD_HASH });
}

/** A browser in which this user has signed in, at its home page. */
export async function signedInBrowser(world: World, { username }: Caller): Promise<Browser> {
  const visit = browser(world);
  const answer = await visit.signIn(username, PASSWORD);
  assert.equal(answer.status, 302, answer.text);
  await visit.get('//');
  return visit;
}
