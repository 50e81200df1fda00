import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkingCopy } from '#git/transport/client.testing.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Repeated and trailing slashes of an address count as one and none, except in paths of files.

const { anonymous, root, clock, newProject, server } = await world();

/** Returns the status of an address below the server's. */
const get = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${server.address}${path}`, { headers })).status;

test('serves addresses with repeated and trailing slashes', async () => {
  for (const path of ['/', '/users/sign_in', '/-/health', '/-/liveness', '/openapi.json', '/oauth/authorize']) {
    const expected = await get(path);
    for (const spelling of [`/${path}`, `${path}//`, path.replaceAll('/', '///'), `${path}/`])
      assert.equal(await get(spelling), expected, spelling);
  }
  const token = { 'PRIVATE-TOKEN': root.token! };
  for (const path of ['//api/v4/user', '/api//v4/user/', '///api///v4//user//'])
    assert.equal(await get(path, token), 200, path);
  assert.equal(await get('//api//v3/user'), 410);
  assert.equal(await get('//nothing//here/'), 404);
});

test('serves git and LFS clients with such an address', async (t) => {
  const { owner, path_with_namespace: path } = await newProject();
  const copy = await createWorkingCopy(t);
  await copy.commit('First');
  const base = server.address.replace('http://', `http://x:${owner.token}@`);
  const url = `${base}//${path.replace('/', '//')}.git/`;
  await copy.git('push', '-q', url, 'main');
  assert.match(await copy.git('ls-remote', url), /refs\/heads\/main/);
  const response = await fetch(`${server.address}//${path}.git//info/lfs/objects/batch/`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}` },
    body: JSON.stringify({ operation: 'download', objects: [] }),
  });
  assert.equal(response.status, 200);
});

test('throttles such addresses with the others', async () => {
  const name = 'throttle_unauthenticated_api';
  const settings = {
    [`${name}_enabled`]: true,
    [`${name}_requests_per_period`]: 5,
    [`${name}_period_in_seconds`]: 3600,
  };
  await expectSuccess(root.put('/application/settings', settings));
  clock.advance(3600);
  const paths = [
    '/api/v4/version',
    '//api/v4/version',
    '/api//v4/version/',
    '//%61pi/v4//version',
    '//oauth/token/info',
  ];
  for (const path of paths) assert.equal(await get(path), 401, path);
  for (const path of paths) assert.equal(await get(path), 429, path);
  clock.advance(3600);
  await expectSuccess(root.put('/application/settings', { [`${name}_enabled`]: false }));
  assert.equal((await anonymous.get('/version')).status, 401);
});

test('counts alerts to all spellings of an address together', async () => {
  const { path_with_namespace: path } = await newProject();
  const name = 'throttle_incident_management_notification';
  const settings = { [`${name}_enabled`]: true, [`${name}_per_period`]: 2, [`${name}_period_in_seconds`]: 3600 };
  await expectSuccess(root.put('/application/settings', settings));
  const post = async (address: string) => (await fetch(`${server.address}${address}`, { method: 'POST' })).status;
  const url = `/${path}/alerts/notify.json`;
  const statuses = [await post(url), await post(`/${url}/`), await post(url.replaceAll('/', '//'))];
  assert.deepEqual(statuses.slice(0, 2).includes(429), false);
  assert.equal(statuses[2], 429);
  await expectSuccess(root.put('/application/settings', { [`${name}_enabled`]: false }));
});
