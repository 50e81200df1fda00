import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Caller, world } from '../../test/world.ts';

const here = await world();
const { root, anonymous, user, withToken, name, clock } = here;

const OFF = Object.fromEntries(
  ['unauthenticated_api', 'authenticated_api', 'unauthenticated_files_api', 'authenticated_files_api'].map((kind) => [
    `throttle_${kind}_enabled`,
    false,
  ]),
);

/** With this throttle on, at the beginning of one of its windows. */
async function throttle(kind: string, limit: number, period: number): Promise<void> {
  const name = `throttle_${kind}`;
  const settings = {
    [`${name}_enabled`]: true,
    [`${name}_requests_per_period`]: limit,
    [`${name}_period_in_seconds`]: period,
  };
  assert.equal((await root.put('/application/settings', { ...OFF, ...settings })).status, 200);
  const seconds = clock.now().getTime() / 1000;
  clock.advance(Math.ceil(seconds / period) * period - seconds + period);
}

async function noThrottle(): Promise<void> {
  // Whoever is throttled can't say so: the window goes first.
  clock.advance(3600);
  assert.equal((await root.put('/application/settings', { ...OFF, rate_limiting_response_text: null })).status, 200);
}

const said = ({ headers }: Answer) =>
  ['name', 'limit', 'observed', 'remaining', 'reset'].map((part) => headers[`ratelimit-${part}`]);

async function statuses(caller: Caller, path: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await caller.get(path)).status);
  return found;
}

test('without a throttle no answer says anything of it', async () => {
  assert.deepEqual(said(await root.get('/version')), [undefined, undefined, undefined, undefined, undefined]);
});

test('a user is counted, told, refused, and let in again when the window is over', async () => {
  const mira = await user();
  await throttle('authenticated_api', 3, 120);
  const begins = clock.now().getTime() / 1000;
  const first = await mira.get('/version');
  assert.deepEqual(said(first), ['throttle_authenticated_api', '2', '1', '2', String(begins + 120)]);
  assert.equal((await mira.get('/nothing/here')).headers['ratelimit-observed'], '2');
  assert.equal((await mira.post('/version')).headers['ratelimit-observed'], '3');
  clock.advance(20);
  const refusal = await mira.get('/version');
  assert.deepEqual(
    [refusal.status, refusal.headers['content-type'], refusal.text],
    [429, 'text/plain', 'Retry later\n'],
  );
  assert.deepEqual(said(refusal), ['throttle_authenticated_api', '2', '4', '0', String(begins + 120)]);
  assert.equal(refusal.headers['retry-after'], '100');
  assert.equal(refusal.headers['ratelimit-resettime'], new Date((begins + 120) * 1000).toUTCString());
  assert.equal((await (await user()).get('/version')).status, 200, 'somebody else has a count of his own');
  assert.equal((await anonymous.get('/projects')).status, 200, 'and nobody is not counted by this throttle');
  clock.advance(100);
  assert.equal((await mira.get('/version')).headers['ratelimit-observed'], '1');
  await noThrottle();
});

test('without a valid credential the address is counted', async () => {
  const mira = await user();
  await throttle('unauthenticated_api', 2, 60);
  assert.equal((await anonymous.get('/projects')).headers['ratelimit-observed'], '1');
  assert.equal((await withToken(mira, 'glpat-wrong').get('/version')).headers['ratelimit-observed'], '2');
  assert.deepEqual(await statuses(anonymous, '/projects', 1), [429]);
  assert.equal((await mira.get('/version')).headers['ratelimit-name'], undefined);
  await noThrottle();
});

test('a credential in the query counts, one in the body does not', async () => {
  const mira = await user();
  await throttle('authenticated_api', 100, 60);
  const query = await anonymous.get('/version', { private_token: mira.token });
  assert.equal(query.headers['ratelimit-observed'], '1');
  const body = await anonymous.post('/groups', { name: 'x', private_token: mira.token });
  assert.equal(body.headers['ratelimit-name'], undefined);
  await noThrottle();
});

test('the files API has a throttle of its own in place of the general one', async () => {
  const mira = await user();
  const { body } = await mira.post('/projects', { name: name('files'), initialize_with_readme: true });
  const file = `/projects/${body.id}/repository/files/README.md?ref=main`;
  await throttle('authenticated_api', 100, 60);
  assert.equal((await mira.get(file)).headers['ratelimit-name'], 'throttle_authenticated_api');
  const settings = {
    throttle_authenticated_files_api_enabled: true,
    throttle_authenticated_files_api_requests_per_period: 2,
    throttle_authenticated_files_api_period_in_seconds: 15,
  };
  await root.put('/application/settings', settings);
  assert.deepEqual(await statuses(mira, file, 3), [200, 200, 429]);
  assert.equal((await mira.get(file)).headers['ratelimit-limit'], '8');
  const elsewhere = await mira.get(`/projects/${body.id}/repository/branches`);
  assert.equal(elsewhere.headers['ratelimit-name'], 'throttle_authenticated_api');
  await noThrottle();
});

test('the text of the refusal is a setting', async () => {
  await throttle('unauthenticated_api', 1, 60);
  await root.put('/application/settings', { rate_limiting_response_text: 'Come back at noon' });
  await anonymous.get('/projects');
  assert.equal((await anonymous.get('/projects')).text, 'Come back at noon\n');
  await noThrottle();
});

test('neither git nor pages are counted', async () => {
  await throttle('unauthenticated_api', 1, 60);
  for (const path of ['//-/liveness', '//users/sign_in', '//root/none.git/info/refs?service=git-upload-pack']) {
    assert.equal((await anonymous.get(path)).headers['ratelimit-name'], undefined, path);
  }
  await noThrottle();
});

test('what cannot be read at all is not counted', async () => {
  await throttle('unauthenticated_api', 1, 60);
  assert.equal((await anonymous.get('/projects/%00')).headers['ratelimit-name'], undefined);
  await noThrottle();
});
