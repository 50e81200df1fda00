import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { project, owner, developer } = await world({ project: { with: ['developer'] } });

const fieldsOf = (payload: unknown) => owner.post(`${project.at}/alert_integrations/payload_fields`, { payload });

const byLabel = (fields: readonly { readonly label: string }[]) =>
  fields.toSorted((one, other) => (one.label < other.label ? -1 : 1));

test('returns each number, text and list of a payload as a field with its path', async () => {
  const alert = { hosts: ['db1', 2, ['x']], since: '2026-02-13', none: null, on: true, part: 0.5, deep: { n: 1 } };
  const { status, body } = await fieldsOf({ alert });
  assert.equal(status, 200);
  assert.deepEqual(byLabel(body), [
    { path: ['alert', 'deep', 'n'], label: 'alert/deep/n', type: 'number' },
    { path: ['alert', 'hosts'], label: 'alert/hosts', type: 'array' },
    { path: ['alert', 'hosts', 0], label: 'alert/hosts[0]', type: 'string' },
    { path: ['alert', 'hosts', 1], label: 'alert/hosts[1]', type: 'number' },
    { path: ['alert', 'hosts', 2], label: 'alert/hosts[2]', type: 'array' },
    { path: ['alert', 'hosts', 2, 0], label: 'alert/hosts[2][0]', type: 'string' },
    { path: ['alert', 'since'], label: 'alert/since', type: 'datetime' },
  ]);
  assert.deepEqual((await fieldsOf(JSON.stringify({ alert }))).body, body);
});

test('returns no fields for a payload that is too large or no object', async () => {
  for (const payload of ['', 'no JSON', '[1]', '{"a":', [1], 7, true, `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`]) {
    const { status, body } = await fieldsOf(payload);
    assert.deepEqual([status, body], [400, { message: 'Failed to parse payload' }]);
  }
  const large = JSON.stringify({ a: 'x'.repeat(1024 * 1024) });
  assert.deepEqual((await fieldsOf(large)).body, { message: 'Payload size exceeded' });
  assert.deepEqual((await fieldsOf(JSON.parse(large))).body, { message: 'Payload size exceeded' });
  assert.deepEqual((await fieldsOf(undefined)).body, { error: 'payload is missing' });
});

test('a payload that is mostly one long name is not told a thousand times over', async () => {
  const payload = JSON.stringify({ ['x'.repeat(100_000)]: new Array(100_000).fill(1) });
  assert.deepEqual((await fieldsOf(payload)).body, { message: 'Payload size exceeded' });
});

test('denies Developers the fields of a payload', async () => {
  const { status, body } = await developer.post(`${project.at}/alert_integrations/payload_fields`, { payload: {} });
  assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
});
