import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { buildSshKey, createGroupWithCertificates, generateSshKey } from './fixtures.testing.ts';

const here = await world();
const group = await createGroupWithCertificates(here);
const TAKEN = 'Fingerprint must be unique. This CA has already been configured for another namespace.';

const add = (key: string, title = 'build CA') => group.owner.post(group.list, { title, key });

async function textsOf(key: string, title?: string): Promise<string> {
  const before = (await group.owner.get(group.list)).body.length;
  const { status, body } = await add(key, title);
  assert.equal(status, 422);
  assert.equal((await group.owner.get(group.list)).body.length, before);
  return body.message.replace('Validation failed: ', '');
}

const rsa = (bits: number) =>
  buildSshKey('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.concat([Buffer.from([0, 0x80]), randomBytes(bits / 8 - 1)]));

test('returns the certificate as sent and records an audit event', async () => {
  const key = `${generateSshKey()} of the acme build `;
  const { status, body } = await add(key);
  assert.equal(status, 201);
  assert.deepEqual(body, { id: body.id, title: 'build CA', key, created_at: body.created_at });
  const [{ details, entity_type, entity_id }] = (await group.owner.get(`${group.at}/audit_events`)).body;
  assert.deepEqual([entity_type, entity_id], ['Group', group.id]);
  assert.equal(details.custom_message, `Created SSH certificate with id ${body.id} and title build CA`);
  assert.deepEqual(
    [details.event_name, details.target_type, details.target_details],
    ['create_ssh_certificate', 'Groups::SshCertificate', 'build CA'],
  );
});

test('returns the errors of title and key in one message, but only one error for an invalid key', async () => {
  const key = generateSshKey();
  const long = `${key}${'x'.repeat(5000)}`;
  for (const [sent, title, texts] of [
    ['', '', 'Invalid key'],
    ['  ', 'x'.repeat(256), 'Invalid key'],
    ['ssh-ed25519 AAAA', 'CA', 'Invalid key'],
    [key, ' ', "Title can't be blank"],
    [key, '🔑'.repeat(256), 'Title is too long (maximum is 255 characters)'],
    [long, 'CA', 'Key is too long (maximum is 5000 characters)'],
    [`cert-authority ${key}`, 'CA', 'Key is invalid'],
    [
      `cert-authority ${long}`,
      ' '.repeat(256),
      "Title can't be blank, Title is too long (maximum is 255 characters), Key is too long (maximum is 5000 characters), Key is invalid",
    ],
  ] as const) {
    assert.equal(await textsOf(sent, title), texts, sent.slice(0, 40));
  }
  assert.equal((await add(key, '🔑'.repeat(255))).status, 201);
});

test('rejects a key that any group has, ignoring its comment', async () => {
  const [key, other] = [generateSshKey(), await createGroupWithCertificates(here)];
  await other.owner.post(other.list, { title: 'theirs', key });
  assert.equal(await textsOf(key), TAKEN);
  assert.equal(await textsOf(key.replace('ca@acme', 'nobody')), TAKEN);
  assert.equal(await textsOf(key, ''), `Title can't be blank, ${TAKEN}`);
});

test('of two concurrent requests with one key exactly one succeeds', async () => {
  const [key, other] = [generateSshKey(), await createGroupWithCertificates(here)];
  const answers = await Promise.all([
    add(key),
    other.owner.post(other.list, { title: 'theirs', key }),
    add(`${key} too`),
    other.owner.post(other.list, { title: 'theirs', key }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 422, 422, 422]);
});

test('applies the settings for minimum key sizes and allowed types', async () => {
  const set = (settings: Readonly<Record<string, number>>) => here.root.put('/application/settings', settings);
  await set({ rsa_key_restriction: 2048, ed25519_key_restriction: -1, dsa_key_restriction: -1 });
  assert.equal(await textsOf(rsa(1024)), 'Key must be at least 2048 bits');
  assert.equal((await add(rsa(2048))).status, 201);
  assert.equal(
    await textsOf(generateSshKey(), ''),
    "Title can't be blank, Key type is forbidden. Must be RSA, ECDSA, ECDSA_SK, or ED25519_SK",
  );
  await set({ ecdsa_key_restriction: -1, ecdsa_sk_key_restriction: -1 });
  assert.equal(await textsOf(generateSshKey()), 'Key type is forbidden. Must be RSA or ED25519_SK');
  const names = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'];
  await set(Object.fromEntries(names.map((name) => [`${name}_key_restriction`, 0])));
  assert.equal((await add(generateSshKey())).status, 201);
});
