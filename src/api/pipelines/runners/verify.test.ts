import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// contract/runners.md §3.1, §2.4

const here = await world({ group: {} });
const { anonymous, root, newRunner, clock } = here;

test('creates a manager for each system_id, and <legacy> without one', async () => {
  const { at, token } = await newRunner();
  for (const system_id of ['s_1', 's_2', 's_1', undefined, '']) {
    assert.equal((await anonymous.post('/runners/verify', { token, system_id })).status, 200);
  }
  const { body } = await root.get(`${at}/managers`);
  assert.deepEqual(
    body.map(({ system_id }: { system_id: string }) => system_id),
    ['s_1', 's_2', '<legacy>'],
  );
});

test('sets a verified runner online', async () => {
  const { id, at, token } = await newRunner();
  assert.equal((await root.get(at)).body.online, null);
  const { status, body } = await anonymous.post('/runners/verify', { token });
  assert.deepEqual([status, body], [200, { id, token, token_expires_at: null }]);
  const { online, status: now, contacted_at, ip_address } = (await root.get(at)).body;
  assert.deepEqual([online, now, contacted_at, ip_address], [true, 'online', clock.now().toISOString(), '127.0.0.1']);
});

test('shows the details of the runner manager with the latest contact', async () => {
  const { at, token } = await newRunner();
  const info = { name: 'gitlab-runner', version: '18.1.0', revision: 'abc', platform: 'linux', architecture: 'amd64' };
  await anonymous.post('/runners/verify', { token, system_id: 's_1', info });
  clock.advance(1);
  await anonymous.post('/runners/verify', { token, system_id: 's_2', info: { ...info, version: '17.0.0' } });
  assert.equal((await root.get(at)).body.version, '17.0.0');
  clock.advance(1);
  await anonymous.post('/runners/verify', { token, system_id: 's_1' });
  const { version, revision, platform, architecture } = (await root.get(at)).body;
  assert.deepEqual([version, revision, platform, architecture], ['18.1.0', 'abc', 'linux', 'amd64']);
});

test('returns 403 for an unknown token and 400 for a missing one, and creates no manager', async () => {
  assert.deepEqual((await anonymous.post('/runners/verify', { token: 'glrt-wrong' })).body, {
    message: '403 Forbidden',
  });
  assert.equal((await anonymous.post('/runners/verify', { token: '' })).status, 403);
  const { status, body } = await anonymous.post('/runners/verify', { system_id: 's_1' });
  assert.deepEqual([status, body], [400, { error: 'token is missing' }]);
});

test('ignores other API credentials, valid or invalid', async () => {
  const { token } = await newRunner();
  const headersOf: Record<string, string>[] = [
    { 'PRIVATE-TOKEN': 'wrong' },
    { 'RUNNER-TOKEN': token },
    { Authorization: 'Bearer glrt-wrong' },
  ];
  for (const headers of headersOf) {
    const { status } = await anonymous.send('POST', '/runners/verify', { params: { token }, headers });
    assert.equal(status, 200);
  }
  assert.equal((await root.post('/runners/verify', { token: 'glrt-wrong' })).status, 403);
});

test('what machines say is kept so far as it is of use', async () => {
  const { id, token } = await newRunner();
  const features = { variables: true, image: 'no', nested: { deep: true } };
  const info = { executor: 'shell', features, config: { gpus: 'all' }, labels: { zone: 'a', n: 3 }, other: [1] };
  assert.equal((await anonymous.post('/runners/verify', { token, info })).status, 200);
  const { reader } = here.server.services.database;
  const stored = await reader
    .selectFrom('runner_managers')
    .select(['executor', 'features', 'config', 'labels'])
    .where('runner_id', '=', id)
    .executeTakeFirstOrThrow();
  assert.deepEqual(stored, {
    executor: 'shell',
    features: '{"variables":true}',
    config: '{"gpus":"all"}',
    labels: '{"zone":"a"}',
  });
  const long = await anonymous.post('/runners/verify', { token, system_id: 'x'.repeat(65) });
  assert.equal(long.status, 400);
});
