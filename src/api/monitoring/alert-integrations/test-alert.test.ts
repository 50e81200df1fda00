import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { project, owner, developer, anonymous, user } = await world({ project: { with: ['developer', 'reporter'] } });

const at = `${project.at}/alert_integrations`;
const { body: integration } = await owner.post(at, { name: 'Data Dog' });
const send = (payload: unknown, by = developer, id = integration.id) => by.post(`${at}/${id}/test_alert`, { payload });

/** Sends a payload as a tool does. */
const notify = (token: string, payload: object) =>
  anonymous.send('POST', `//${new URL(integration.url).pathname.slice(1)}`, {
    raw: JSON.stringify(payload),
    headers: { Authorization: `Bearer ${token}` },
  });

test('creates an alert from a test payload like from a real one', async () => {
  const payload = { title: 'Disk full', fingerprint: 'disk' };
  const first = await send(payload);
  assert.equal(first.status, 200);
  assert.deepEqual(first.body, [{ iid: first.body[0].iid, title: 'Disk full' }]);
  assert.deepEqual((await notify(integration.token, payload)).body, first.body);
  assert.deepEqual((await send(JSON.stringify(payload))).body, first.body);
});

test('rejects an invalid test like an invalid payload, and stores nothing', async () => {
  const deep = `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`;
  for (const [payload, body] of [
    [undefined, { error: 'payload is missing' }],
    ['no JSON', { error: 'payload is invalid' }],
    ['[1]', { error: 'payload is invalid' }],
    [[1], { error: 'payload is invalid' }],
    [7, { error: 'payload is invalid' }],
    [deep, { message: '400 Bad request' }],
    [{ a: 'x'.repeat(1024 * 1024) }, { message: '400 Bad request' }],
    [{ fingerprint: 'unknown', end_time: '2026-02-13T10:20:00Z' }, { message: '400 Bad request' }],
  ] as const) {
    const answer = await send(payload);
    assert.deepEqual([answer.status, answer.body], [400, body]);
  }
});

test('rejects a test of an inactive integration', async () => {
  const { body: other } = await owner.post(at, { name: 'Off', active: false });
  const answer = await send({}, developer, other.id);
  assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden - The integration is inactive' }]);
});

test('Developers and Maintainers send tests', async () => {
  const reporter = await project.addMember('reporter');
  assert.equal((await send({}, owner)).status, 200);
  assert.deepEqual((await send({}, reporter)).body, { message: '403 Forbidden' });
  assert.deepEqual((await send({}, await user())).body, { message: '404 Project Not Found' });
  assert.deepEqual((await send({}, anonymous)).body, { message: '401 Unauthorized' });
  assert.deepEqual((await send({}, developer, 987_654)).body, { message: '404 Alert Integration Not Found' });
});

test('a mapping decides what a test is read by', async () => {
  const payload_attribute_mapping = { title: { path: ['alert', 'names', 0], type: 'string' } };
  const { body: mapped } = await owner.post(at, { name: 'Mapped', payload_attribute_mapping });
  const { body } = await send({ title: 'Other', alert: { names: ['Disk'] } }, developer, mapped.id);
  assert.equal(body[0].title, 'Disk');
});

test('invalidates the old token immediately on a reset', async () => {
  const { body: again } = await owner.post(`${at}/${integration.id}/reset_token`);
  const before = await notify(integration.token, {});
  assert.deepEqual([before.status, before.body], [401, { message: '401 Unauthorized' }]);
  assert.equal((await notify(again.token, {})).status, 200);
});
