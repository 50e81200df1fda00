import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

const { newProject } = await world();

const here = await world();
const { root, anonymous, user, withToken, clock } = here;

const OFF = Object.fromEntries(
  ['unauthenticated_api', 'authenticated_api', 'unauthenticated_files_api', 'authenticated_files_api'].map((kind) => [
    `throttle_${kind}_enabled`,
    false,
  ]),
);

/** Enables this throttle at the beginning of one of its windows. */
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
  // Ends the window first, because a throttled caller cannot change settings.
  clock.advance(3600);
  assert.equal((await root.put('/application/settings', { ...OFF, rate_limiting_response_text: null })).status, 200);
}

const said = ({ headers }: TestResponse) =>
  ['name', 'limit', 'observed', 'remaining', 'reset'].map((part) => headers[`ratelimit-${part}`]);

async function statuses(caller: Caller, path: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await caller.get(path)).status);
  return found;
}

test('sends no rate limit headers without a throttle', async () => {
  assert.deepEqual(said(await root.get('/version')), [undefined, undefined, undefined, undefined, undefined]);
});

test('counts requests of a user, rejects those over the limit, and accepts them in the next window', async () => {
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

test('counts requests without a valid credential by address', async () => {
  const mira = await user();
  await throttle('unauthenticated_api', 2, 60);
  assert.equal((await anonymous.get('/projects')).headers['ratelimit-observed'], '1');
  assert.equal((await withToken(mira, 'glpat-wrong').get('/version')).headers['ratelimit-observed'], '2');
  assert.deepEqual(await statuses(anonymous, '/projects', 1), [429]);
  assert.equal((await mira.get('/version')).headers['ratelimit-name'], undefined);
  await noThrottle();
});

test('identifies the user by a credential in the query, but not in the body', async () => {
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
  const project = await newProject({ owner: mira, readme: true });
  const file = `${project.repository}/files/README.md?ref=main`;
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
  const elsewhere = await mira.get(`${project.repository}/branches`);
  assert.equal(elsewhere.headers['ratelimit-name'], 'throttle_authenticated_api');
  await noThrottle();
});

test('the text of the rejection is configurable', async () => {
  await throttle('unauthenticated_api', 1, 60);
  await root.put('/application/settings', { rate_limiting_response_text: 'Come back at noon' });
  await anonymous.get('/projects');
  assert.equal((await anonymous.get('/projects')).text, 'Come back at noon\n');
  await noThrottle();
});

test('counts paths in any encoding, including unknown paths', async () => {
  await throttle('unauthenticated_api', 100, 60);
  for (const path of [
    '//api/v4/projects',
    '//%61pi/v4/%70rojects',
    '//ap%69/v4/',
    '//api/v3/x',
    '//%6Fauth/token/info',
  ]) {
    assert.notEqual((await anonymous.get(path)).headers['ratelimit-name'], undefined, path);
  }
  await throttle('unauthenticated_files_api', 100, 60);
  for (const path of [
    '1/repository/files/x',
    '1/repository/%66iles/x',
    'a%2Fb/repository/files/x',
    '1//repository//files/x',
  ]) {
    const { headers } = await anonymous.get(`/projects/${path}`);
    assert.equal(headers['ratelimit-name'], 'throttle_unauthenticated_files_api', path);
  }
  for (const path of ['1/repository/files', '1/repository/tree', '1/files/x']) {
    assert.equal((await anonymous.get(`/projects/${path}`)).headers['ratelimit-name'], undefined, path);
  }
  await noThrottle();
});

test('does not count runner and error report requests, but counts management of runners', async () => {
  await throttle('unauthenticated_api', 100, 60);
  const free = {
    POST: ['/jobs/request', '/jobs/1/artifacts', '/runners', '/runners/verify', '/runners/reset_authentication_token'],
    PUT: ['/jobs/1'],
    PATCH: ['/jobs/1/trace'],
    GET: ['/jobs/1/artifacts', '/runners/router/discovery'],
    DELETE: ['/runners', '/runners/managers'],
  };
  const reports = ['/error_tracking/collector/api/1/', '//api/1/'].flatMap((place) => [
    `${place}store/`,
    `${place}envelope`,
  ]);
  free.POST.push(...reports);
  for (const [method, paths] of Object.entries(free)) {
    for (const path of paths) {
      const { status, headers } = await anonymous.send(method, path);
      assert.deepEqual([status < 500, headers['ratelimit-name']], [true, undefined], `${method} ${path}`);
    }
  }
  for (const path of ['/runners', '/runners/1', '/job', '/projects/1/jobs/1']) {
    assert.equal((await anonymous.get(path)).headers['ratelimit-name'], 'throttle_unauthenticated_api', path);
  }
  await noThrottle();
});

test('counts OAuth calls by address and OAuth pages by signed-in user', async () => {
  await throttle('unauthenticated_api', 4, 60);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const observed: unknown[] = [];
  for (const path of ['//oauth/token', '//oauth/revoke', '//oauth/introspect']) {
    const { headers } = await anonymous.send('POST', path, { raw: 'token=x', headers: form });
    observed.push(headers['ratelimit-observed']);
  }
  observed.push((await anonymous.get('//oauth/token/info')).headers['ratelimit-observed']);
  assert.deepEqual(observed, ['1', '2', '3', '4']);
  const password = { grant_type: 'password', username: 'root', password: 'correct-horse-battery' };
  const refusal = await anonymous.post('//oauth/token', password);
  assert.deepEqual([refusal.status, refusal.text], [429, 'Retry later\n']);
  assert.equal((await anonymous.send('HEAD', '//oauth/authorize')).status, 429);
  await throttle('authenticated_api', 100, 60);
  const { access_token } = (await anonymous.post('//oauth/token', password)).body;
  const info = await anonymous.get('//oauth/token/info', {}, { Authorization: `Bearer ${access_token}` });
  assert.equal(info.headers['ratelimit-observed'], '1');
  const visit = await signedInBrowser(here, await userWithPassword(here));
  assert.equal((await visit.get('//oauth/authorize')).headers['ratelimit-observed'], '1');
  await noThrottle();
});

test('counts callers with a rejected credential by address', async () => {
  const [blocked, revoked, reader] = [await user(), await user(), await user({ scopes: ['read_user'] })];
  await root.post(`/users/${blocked.id}/block`);
  await revoked.delete('/personal_access_tokens/self');
  await throttle('unauthenticated_api', 100, 60);
  const both = { throttle_authenticated_api_enabled: true, throttle_authenticated_api_period_in_seconds: 60 };
  await root.put('/application/settings', both);
  const said = async (caller: Caller) => {
    const { status, headers } = await caller.get('/projects');
    return [status, headers['ratelimit-name'], headers['ratelimit-observed']];
  };
  assert.deepEqual(await said(blocked), [403, 'throttle_unauthenticated_api', '1']);
  assert.deepEqual(await said(revoked), [401, 'throttle_unauthenticated_api', '2']);
  assert.deepEqual(await said(reader), [403, 'throttle_authenticated_api', '1'], 'he is known, if not let in');
  await noThrottle();
});

test('every response has rate limit headers: HEAD, OPTIONS, 304, CORS and invalid bodies', async () => {
  const mira = await user();
  await throttle('authenticated_api', 100, 60);
  const { headers } = await mira.get('/version');
  const answers = [
    await mira.head('/version'),
    await mira.send('OPTIONS', '/version'),
    await mira.send('POST', '/projects', { raw: '{', headers: { 'Content-Type': 'application/json' } }),
    await mira.send('POST', '/projects', { raw: 'x', headers: { 'Content-Type': 'text/plain' } }),
    await mira.get('/version', {}, { 'If-None-Match': String(headers.etag), Origin: 'https://app.test' }),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['ratelimit-observed']]),
    [200, 204, 400, 415, 304].map((status, index) => [status, String(index + 2)]),
  );
  await noThrottle();
});

test('rounds the limit per minute up in the headers', async () => {
  const mira = await user();
  for (const [limit, period, told] of [
    [100, 7, '858'],
    [1, 3600, '1'],
    [3600, 3600, '60'],
  ] as const) {
    await throttle('authenticated_api', limit, period);
    const { headers } = await mira.get('/version');
    assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], [told, String(limit - 1)]);
  }
  await noThrottle();
});

test('does not count git requests and pages', async () => {
  await throttle('unauthenticated_api', 1, 60);
  for (const path of ['//-/liveness', '//users/sign_in', '//root/none.git/info/refs?service=git-upload-pack']) {
    assert.equal((await anonymous.get(path)).headers['ratelimit-name'], undefined, path);
  }
  await noThrottle();
});

test('does not count requests that cannot be parsed', async () => {
  await throttle('unauthenticated_api', 1, 60);
  assert.equal((await anonymous.get('/projects/%00')).headers['ratelimit-name'], undefined);
  await noThrottle();
});
