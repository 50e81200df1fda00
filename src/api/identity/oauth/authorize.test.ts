import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';
import { CALLBACK, oauthFixtures } from './fixtures.testing.ts';

// The page that asks the user (contract/conventions.md §10 "OAuth 2.0", RFC 6749 §4.1.1).

const here = await world();
const { anonymous } = here;
const { createApplication, submitConsent, createSignedInUser, requestToken } = oauthFixtures(here);

const page = (fields: Readonly<Record<string, string>>) => `//oauth/authorize?${new URLSearchParams(fields)}`;
const ask = { redirect_uri: CALLBACK, response_type: 'code' };

test('redirects to the sign-in page and back', async () => {
  const [{ client_id }, mira] = [await createApplication(), await userWithPassword(here)];
  const visit = browser(here);
  const asked = page({ ...ask, client_id, state: 'a b&c' });
  const away = await visit.get(asked);
  assert.deepEqual([away.status, away.headers.location], [302, '/users/sign_in']);
  await visit.get('//users/sign_in');
  const back = await visit.submit('//users/sign_in', { 'user[login]': mira.username, 'user[password]': PASSWORD });
  assert.deepEqual([back.status, `/${back.headers.location}`], [302, asked]);
  assert.match((await visit.get(asked)).text, /Authorize/);
});

test('shows the application, its scopes and the redirect address', async () => {
  const { browser: visit, user: mira } = await createSignedInUser();
  const { client_id } = await createApplication({ name: '<b>Evil & Co</b>' });
  const { status, headers, text } = await visit.get(
    page({ ...ask, client_id, scope: 'read_user', state: '"><script>' }),
  );
  assert.equal(status, 200);
  assert.match(text, /Authorize &#60;b&#62;Evil &#38; Co/);
  assert.ok(text.includes(`@${mira.username}`) && text.includes('read_user') && text.includes('app.test'));
  assert.ok(!text.includes('<script>') && !text.includes('(api)'));
  assert.match(String(headers['content-security-policy']), /form-action 'self' https:\/\/app\.test;/);
  assert.equal(headers['cache-control'], 'no-store');
});

test('redirects to the client with a code and state on approval, with an error on denial', async () => {
  const { browser: visit } = await createSignedInUser();
  const redirect_uri = `${CALLBACK}?kept=1`;
  const { client_id } = await createApplication({ redirect_uri: `${CALLBACK}\n${redirect_uri}` });
  const asked = { client_id, redirect_uri, response_type: 'code', state: 'a b&c=d' };
  const yes = await submitConsent(visit, asked);
  assert.ok(yes.href.startsWith(`${redirect_uri}&code=`), yes.href);
  assert.deepEqual([...yes.searchParams.keys()], ['kept', 'code', 'state']);
  assert.equal(yes.searchParams.get('state'), asked.state);
  const no = await submitConsent(visit, asked, { _method: 'delete' });
  assert.deepEqual(Object.fromEntries(no.searchParams), {
    kept: '1',
    error: 'access_denied',
    error_description: 'The resource owner or authorization server denied the request.',
    state: asked.state,
  });
  const fields = new URLSearchParams({ ...asked, authenticity_token: visit.csrfToken() });
  const denied = await visit.send('DELETE', `//oauth/authorize?${fields}`);
  assert.equal(new URL(String(denied.headers.location)).searchParams.get('error'), 'access_denied');
});

test('accepts a denial in any case, also as a query parameter', async () => {
  const { browser: visit } = await createSignedInUser();
  const { client_id } = await createApplication();
  const asked = { ...ask, client_id, state: 's' };
  for (const _method of ['delete', 'DELETE', 'Delete']) {
    const no = await submitConsent(visit, asked, { _method });
    assert.deepEqual([no.searchParams.get('error'), no.searchParams.get('code')], ['access_denied', null], _method);
  }
  const fields = new URLSearchParams({ ...asked, authenticity_token: visit.csrfToken() });
  const byQuery = await visit.send('POST', `//oauth/authorize?${fields}&_method=delete`);
  assert.equal(new URL(String(byQuery.headers.location)).searchParams.get('error'), 'access_denied');
  const { headers } = await visit.send('POST', `//oauth/authorize?${fields}`);
  assert.match(String(headers.location), /[?&]code=[0-9a-f]{64}&state=s$/);
});

test('rejects a denial with an unregistered address or without a CSRF token', async () => {
  const { browser: visit } = await createSignedInUser();
  const { client_id } = await createApplication();
  await visit.get(page({ ...ask, client_id }));
  const stray = { ...ask, client_id, redirect_uri: 'https://evil.test/cb', authenticity_token: visit.csrfToken() };
  for (const answer of [
    await visit.submit('//oauth/authorize', { ...stray, _method: 'delete' }),
    await visit.send('DELETE', page(stray)),
  ]) {
    assert.deepEqual([answer.status, answer.headers.location], [400, undefined]);
  }
  assert.equal((await visit.send('DELETE', page({ ...ask, client_id }))).status, 422);
});

test('shows an error for an unregistered redirect address instead of redirecting', async () => {
  const { browser: visit } = await createSignedInUser();
  const { client_id } = await createApplication();
  const stray = [
    { ...ask, client_id: 'unknown' },
    { ...ask, client_id: '' },
    { ...ask, client_id, redirect_uri: 'https://evil.test/cb' },
    { ...ask, client_id, redirect_uri: `${CALLBACK}?more=1` },
    { ...ask, client_id, redirect_uri: '' },
  ];
  await visit.get(page({ ...ask, client_id }));
  for (const asked of stray) {
    for (const answer of [await visit.get(page(asked)), await visit.submit('//oauth/authorize', asked)]) {
      assert.equal(answer.status, 400, JSON.stringify(asked));
      assert.match(answer.headers['content-type'] ?? '', /^text\/html/);
      assert.equal(answer.headers.location, undefined);
    }
  }
});

test('reports invalid requests to the client', async () => {
  const { browser: visit } = await createSignedInUser();
  const { client_id } = await createApplication({ scopes: 'read_user' });
  const wrong: readonly [Readonly<Record<string, string>>, string][] = [
    [{ scope: 'read_user api' }, 'invalid_scope'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: '' }, 'invalid_request'],
    [{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S512' }, 'invalid_request'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge_method: 'S256' }, 'invalid_request'],
  ];
  await visit.get(page({ ...ask, client_id }));
  for (const [changes, error] of wrong) {
    const asked = { ...ask, client_id, state: 's', ...changes };
    for (const answer of [await visit.get(page(asked)), await visit.submit('//oauth/authorize', asked)]) {
      assert.equal(answer.status, 302, JSON.stringify(changes));
      const { origin, searchParams } = new URL(String(answer.headers.location));
      assert.deepEqual(
        [origin, searchParams.get('error'), searchParams.get('state'), searchParams.get('code')],
        ['https://app.test', error, 's', null],
      );
    }
  }
});

test('rejects an approval from another site', async () => {
  const { browser: visit } = await createSignedInUser();
  const { client_id } = await createApplication();
  const asked = { ...ask, client_id };
  await visit.get(page(asked));
  assert.equal((await visit.submit('//oauth/authorize', { ...asked, authenticity_token: 'wrong' })).status, 422);
  const stranger = browser(here);
  const away = await stranger.submit('//oauth/authorize', asked);
  assert.deepEqual([away.status, away.headers.location], [302, '/users/sign_in']);
  assert.equal((await anonymous.send('DELETE', page(asked))).headers.location, '/users/sign_in');
});

test('does not accept an access token on the consent page', async () => {
  const { user: mira } = await createSignedInUser();
  const { client_id } = await createApplication();
  const answer = await mira.get(page({ ...ask, client_id }));
  assert.deepEqual([answer.status, answer.headers.location], [302, '/users/sign_in']);
});

test('redirects an installed program to its own URL scheme', async () => {
  const { browser: visit } = await createSignedInUser();
  const redirect_uri = 'com.example.app:/oauth';
  const { client_id } = await createApplication({ redirect_uri, confidential: false });
  const code_verifier = 'v'.repeat(43);
  const asked = { client_id, redirect_uri, response_type: 'code', code_challenge: code_verifier };
  const { headers } = await visit.get(page(asked));
  assert.match(String(headers['content-security-policy']), /form-action 'self' com\.example\.app:;/);
  const url = await submitConsent(visit, asked);
  assert.ok(url.href.startsWith(`${redirect_uri}?code=`));
  const code = url.searchParams.get('code') ?? '';
  const { status } = await requestToken({
    grant_type: 'authorization_code',
    client_id,
    redirect_uri,
    code,
    code_verifier,
  });
  assert.equal(status, 200);
});
