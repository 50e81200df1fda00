import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// contract/runners.md §2.2, §2.3

const here = await world({ group: { with: ['developer', 'maintainer'] } });
const { group, owner, maintainer, developer, root, anonymous, newRunner, newProject, clock } = here;
const project = await newProject({ in: group });

const verified = async (token: string) => (await anonymous.post('/runners/verify', { token })).status;

test('invalidates the former token on a reset by id or by token', async () => {
  const { at, token } = await newRunner({ in: group });
  const byId = await owner.post(`${at}/reset_authentication_token`);
  assert.deepEqual([byId.status, Object.keys(byId.body)], [201, ['token', 'token_expires_at']]);
  assert.match(byId.body.token, /^glrt-/);
  assert.deepEqual([await verified(token), await verified(byId.body.token)], [403, 200]);
  const own = await anonymous.post('/runners/reset_authentication_token', { token: byId.body.token });
  assert.deepEqual([own.status, own.body.token_expires_at], [201, null]);
  assert.deepEqual([await verified(byId.body.token), await verified(own.body.token)], [403, 200]);
  assert.equal((await anonymous.post('/runners/reset_authentication_token', { token })).status, 403);
  const refusal = await maintainer.post(`${at}/reset_authentication_token`);
  assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden - No access granted' }]);
});

test('a runner that registered by a token keeps its kind of token', async () => {
  const { body } = await owner.post(`${group.at}/runners/reset_registration_token`);
  const registered = await anonymous.post('/runners', { token: body.token });
  const reset = await anonymous.post('/runners/reset_authentication_token', { token: registered.body.token });
  assert.match(reset.body.token, /^glrtr-/);
});

test('registration tokens are reset by those who own the place', async () => {
  const [ofInstance, ofGroup, ofProject] = ['/runners', `${group.at}/runners`, `${project.at}/runners`];
  const cases = [
    [ofInstance, [root], [owner], []],
    [ofGroup, [owner, root], [maintainer], [await here.user()]],
    [ofProject, [maintainer, owner], [developer], [await here.user()]],
  ] as const;
  for (const [at, may, mayNot, blind] of cases) {
    const path = `${at}/reset_registration_token`;
    for (const caller of may) assert.equal((await caller.post(path)).status, 201);
    for (const caller of mayNot) assert.equal((await caller.post(path)).status, 403);
    for (const caller of blind) assert.equal((await caller.post(path)).status, 404);
    assert.equal((await anonymous.post(path)).status, 401);
  }
});

test('expires runner tokens after the interval of their type', async () => {
  const intervals = [
    ['runner_token_expiration_interval', () => newRunner()],
    ['group_runner_token_expiration_interval', () => newRunner({ in: group })],
    ['project_runner_token_expiration_interval', () => newRunner({ in: project })],
  ] as const;
  for (const [name, make] of intervals) {
    const lasting = await make();
    await root.put('/application/settings', { [name]: 7200 });
    const { token } = await make();
    const ends = new Date(clock.now().getTime() + 7_200_000).toISOString();
    assert.equal((await anonymous.post('/runners/verify', { token })).body.token_expires_at, ends);
    clock.advance(7199);
    assert.equal(await verified(token), 200);
    clock.advance(1);
    assert.deepEqual([await verified(token), await verified(lasting.token)], [403, 200]);
    const reset = await anonymous.post('/runners/reset_authentication_token', { token: lasting.token });
    assert.notEqual(reset.body.token_expires_at, null);
    await root.put('/application/settings', { [name]: null });
  }
});

test('returns 501 for the discovery of the job router', async () => {
  const ask = (headers: Record<string, string>) => anonymous.send('GET', '/runners/router/discovery', { headers });
  const { token } = await newRunner();
  const { status, body } = await ask({ 'Runner-Token': token });
  const message = 'Job Router is not available. Please contact your administrator.';
  assert.deepEqual([status, body], [501, { message }]);
  assert.deepEqual([(await ask({ 'Runner-Token': 'wrong' })).status, (await ask({})).status], [403, 403]);
});
