import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';
import type { AccessCall } from '../access/access.ts';
import { HttpError } from '../errors/http-error.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import { signedInVisitor, signedInVisitorWithForm } from './web-session.ts';

const here = await world();
const { services } = here.server;

/** A request for a page that only signed-in users see, as its endpoint would get it. */
function asked(method: string, path: string, query: string, cookie: string | null, params: object = {}): AccessCall {
  const headers = cookie === null ? {} : { cookie: `_service_session=${cookie}` };
  const request = { method, path, query, headers, baseUrl: here.server.address, clientAddress: '10.0.0.9' };
  return {
    services,
    db: services.database.reader,
    request: request as IncomingRequest,
    params,
  } as unknown as AccessCall;
}

async function refusalOf(promise: Promise<unknown> | unknown): Promise<HttpError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  throw new Error('It was not refused');
}

test('redirects to the sign-in form, and back to the requested page afterwards', async () => {
  const mira = await userWithPassword(here);
  const query = 'client_id=1&state=%2F%2Fevil';
  const refused = await refusalOf(signedInVisitor().load(asked('GET', '/oauth/authorize', query, null)));
  assert.equal(refused.status, 302);
  assert.equal(refused.headers.Location, '/users/sign_in');
  const cookie = /^_service_session=([\w-]+);/.exec(refused.headers['Set-Cookie'] ?? '')?.[1] ?? null;
  const visit = browser(here, cookie);
  assert.equal((await visit.signIn(mira.username, 'wrong')).status, 422);
  const answer = await visit.signIn(mira.username, PASSWORD);
  assert.equal(answer.headers.location, `/oauth/authorize?${query}`);
  const access = signedInVisitor();
  const found = access.provide((await access.load(asked('GET', '/oauth/authorize', query, visit.cookie()))) as never);
  assert.equal(found.visitor.caller.user.id, mira.id);
  assert.equal(found.visitor.caller.address, '10.0.0.9');
  await visit.get('//');
  assert.equal(found.visitor.session.csrfToken, visit.csrfToken());
  assert.equal(found.visitor.session.returnTo, null, 'it leads there once');
});

test('reuses an anonymous session, and returns to the last requested page', async () => {
  const mira = await userWithPassword(here);
  const visit = browser(here);
  await visit.get('//users/sign_in');
  for (const path of ['/one', '/two']) {
    const refused = await refusalOf(signedInVisitor().load(asked('GET', path, '', visit.cookie())));
    assert.equal(refused.headers['Set-Cookie'], undefined);
  }
  assert.equal((await visit.signIn(mira.username, PASSWORD)).headers.location, '/two');
});

test('does not return to a form submission or a very long URL after sign-in', async () => {
  for (const call of [asked('POST', '/x', '', null), asked('GET', '/x', 'a'.repeat(8_000), null)]) {
    const refused = await refusalOf(signedInVisitor().load(call));
    assert.deepEqual(refused.headers, { Location: '/users/sign_in' });
  }
});

test('a form of a signed-in user needs the token of the session', async () => {
  const visit = await signedInBrowser(here, await userWithPassword(here));
  const access = signedInVisitorWithForm();
  const send = async (token: string | null) => {
    const call = asked('POST', '/x', '', visit.cookie(), { authenticity_token: token });
    await access.authorize(call, (await access.load(call)) as never);
  };
  await send(visit.csrfToken());
  for (const token of [null, '', 'wrong']) assert.equal((await refusalOf(send(token))).status, 422);
});

test('limits anonymous sessions to 300 per network in ten minutes', async () => {
  const { anonymous, clock } = await world({ env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' } });
  const visit = (path: string, address = '2001:db8::1') =>
    anonymous.send('GET', path, { headers: { 'X-Forwarded-For': address } });
  for (let i = 0; i < 300; i++) assert.equal((await visit('//users/sign_in', `2001:db8::${i + 1}`)).status, 200);
  for (const path of ['//users/sign_in', '//oauth/authorize?client_id=1']) {
    const refused = await visit(path);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600'], path);
    assert.match(refused.text, /Too many visits without a cookie/);
    assert.equal(refused.headers['set-cookie'], undefined);
  }
  assert.equal((await visit('//users/sign_in', '2001:db8:0:1::1')).status, 200);
  clock.advance(600);
  assert.equal((await visit('//users/sign_in')).status, 200);
});
