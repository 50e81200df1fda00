// Drives Hearth's pages with Chromium, as a user does whom an application sends there: one line a step.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gitlab } from '@gitbeaker/rest';
import { chromium, type Page } from 'playwright-core';
import { step } from './step.ts';

const host = process.env.HEARTH!;
const root = new Gitlab({ host, token: process.env.TOKEN! });
const PASSWORD = 'violet-anvil-harbour-42';
/** The application: an address of its own, which browsers are sent back to. */
const app = createServer((_, response) => response.end('<title>Back at the application</title>'));
await new Promise<void>((ready) => app.listen(0, '127.0.0.1', ready));
const callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/cb`;

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(host + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()) as Record<string, string>;
};

const registered = await post(
  '/api/v4/applications',
  { name: 'The workshop', redirect_uri: callback, scopes: 'api', confidential: false },
  { 'PRIVATE-TOKEN': process.env.TOKEN! },
);
const user = { username: 'mira', name: 'Mira Okafor', email: 'mira@hearth.test', skipConfirmation: true };
await root.Users.create({ ...user, password: PASSWORD });

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
const complaints: string[] = [];
page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
page.on('pageerror', (error) => void complaints.push(error.message));

const verifier = randomBytes(32).toString('base64url');
const asked = new URLSearchParams({
  client_id: registered.application_id!,
  redirect_uri: callback,
  response_type: 'code',
  state: 'a b&c',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
});

async function signIn(on: Page): Promise<void> {
  await on.getByLabel('Username or e-mail address').fill('mira');
  await on.getByLabel('Password').fill(PASSWORD);
  await on.getByRole('button', { name: 'Sign in' }).click();
}

await step('an application sends the browser to sign in, and the user lets it act', async () => {
  await page.goto(`${host}/oauth/authorize?${asked}`);
  assert.equal(new URL(page.url()).pathname, '/users/sign_in');
  await signIn(page);
  assert.equal(new URL(page.url()).pathname, '/oauth/authorize');
  await page.getByRole('button', { name: 'Authorize The workshop' }).click();
  await page.waitForURL(`${callback}?**`);
  assert.equal(await page.title(), 'Back at the application');
  assert.equal(new URL(page.url()).searchParams.get('state'), 'a b&c');
});

let refreshToken = '';
await step('the code becomes a token that gitbeaker uses', async () => {
  const code = new URL(page.url()).searchParams.get('code')!;
  const client = { client_id: registered.application_id!, redirect_uri: callback };
  const pair = await post('/oauth/token', {
    grant_type: 'authorization_code',
    ...client,
    code,
    code_verifier: verifier,
  });
  const api = new Gitlab({ host, oauthToken: pair.access_token! });
  assert.equal((await api.Users.showCurrentUser()).username, 'mira');
  assert.equal((await api.Projects.create({ name: 'workshop', initializeWithReadme: true })).namespace.path, 'mira');
  refreshToken = pair.refresh_token!;
});

await step('the token is renewed', async () => {
  const order = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: registered.application_id };
  const pair = await post('/oauth/token', order);
  const api = new Gitlab({ host, oauthToken: pair.access_token! });
  assert.equal((await api.Projects.all({ owned: true })).length, 1);
});

await step('the user says no', async () => {
  await page.goto(`${host}/oauth/authorize?${asked}`);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(`${callback}?**`);
  const { searchParams } = new URL(page.url());
  assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['access_denied', 'a b&c']);
});

await step('an address that is not registered gets no visitor', async () => {
  const stray = new URLSearchParams({ ...Object.fromEntries(asked), redirect_uri: `${callback}/other` });
  const answer = await page.goto(`${host}/oauth/authorize?${stray}`);
  assert.equal(answer?.status(), 400);
  assert.equal(new URL(page.url()).origin, new URL(host).origin);
  complaints.pop();
});

await step('the user signs out', async () => {
  await page.goto(host);
  await page.getByRole('button', { name: 'Sign out' }).click();
  assert.equal(new URL(page.url()).pathname, '/users/sign_in');
  await page.goto(`${host}/oauth/authorize?${asked}`);
  assert.equal(new URL(page.url()).pathname, '/users/sign_in');
});

await step('no page has broken its own rules', async () => assert.deepEqual(complaints, []));

await browser.close();
app.close();
