import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { addAddress, generateAddress, getEmailsPath, getPrimaryAddress, listAddresses } from './fixtures.testing.ts';

const { root, anonymous, user, tokenOf } = await world();

test('lists the confirmed primary address and the others in pages, oldest first', async () => {
  const [mira, other] = [await user(), await user()];
  const [first, second] = [generateAddress(), generateAddress()];
  await mira.post('/user/emails', { email: first });
  await mira.post('/user/emails', { email: second });
  await other.post('/user/emails', { email: generateAddress() });
  const own = await mira.get('/user/emails');
  assert.deepEqual(own.body.map(Object.keys), Array(3).fill(['id', 'email', 'confirmed_at']));
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira), first, second]);
  assert.deepEqual((await root.get(getEmailsPath(mira))).body, own.body);
  for (const [caller, path] of [
    [mira, '/user/emails'],
    [root, getEmailsPath(mira)],
  ] as const) {
    const { body, headers } = await caller.get(path, { per_page: 2, page: 2 });
    assert.deepEqual(body, own.body.slice(2));
    assert.deepEqual([headers['x-total'], headers['x-total-pages'], headers['x-prev-page']], ['3', '2', '1']);
    assert.match(String(headers.link), /rel="prev".*rel="first".*rel="last"/);
    assert.deepEqual((await caller.get(path, { per_page: 0 })).body, { error: 'per_page has a value not allowed' });
  }
});

test('returns 404 for the addresses of unknown users', async () => {
  for (const which of ['999999', '99999999999999999999']) {
    const path = `/users/${which}/emails`;
    const answers = [
      await root.get(path),
      await root.post(path, { email: generateAddress() }),
      await root.delete(`${path}/1`),
    ];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body], [404, { message: '404 User Not Found' }]);
    }
  }
  assert.deepEqual((await root.get('/users/root/emails')).body, { error: '404 Not Found' });
});

test('returns 401 to anonymous callers, and addresses of others to administrators only', async () => {
  const mira = await user();
  const { id } = await addAddress(mira, generateAddress());
  for (const path of ['/user/emails', getEmailsPath(mira), '/users/999999/emails']) {
    for (const refusal of [
      await anonymous.get(path),
      await anonymous.post(path),
      await anonymous.delete(`${path}/${id}`),
    ]) {
      assert.deepEqual([refusal.status, refusal.body], [401, { message: '401 Unauthorized' }]);
    }
  }
  assert.equal((await anonymous.get(`/user/emails/${id}`)).status, 401);
  for (const path of [getEmailsPath(mira), '/users/999999/emails']) {
    for (const refusal of [await mira.get(path), await mira.post(path), await mira.delete(`${path}/${id}`)]) {
      assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden' }], 'before parameters');
    }
  }
  assert.equal((await listAddresses(mira)).length, 2);
});

test('lets tokens with read_user or read_api read addresses, but not add them', async () => {
  const mira = await user();
  const { id } = await addAddress(mira, generateAddress());
  for (const scope of ['read_user', 'read_api']) {
    const [reader, admin] = [await tokenOf(mira, [scope]), await tokenOf(root, [scope])];
    assert.equal((await reader.get('/user/emails')).status, 200);
    assert.equal((await reader.get(`/user/emails/${id}`)).status, 200);
    assert.equal((await admin.get(getEmailsPath(mira))).status, 200);
    for (const refusal of [
      await reader.post('/user/emails', { email: generateAddress() }),
      await reader.delete(`/user/emails/${id}`),
      await admin.post(getEmailsPath(mira), { email: generateAddress() }),
      await admin.delete(`${getEmailsPath(mira)}/${id}`),
    ]) {
      assert.deepEqual([refusal.status, refusal.body.error], [403, 'insufficient_scope']);
    }
  }
  const other = await (await tokenOf(mira, ['read_repository'])).get('/user/emails');
  assert.deepEqual([other.status, other.body.scope], [403, 'read_user api read_api']);
  assert.equal((await listAddresses(mira)).length, 2);
});
