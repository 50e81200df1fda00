import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestResponse } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';

// The store keeps names and addresses apart, whoever else asks for them now (contract/conventions.md "Data model").

const { root, name } = await world();

const order = (username: string, email = `${username}@mail.test`) => ({
  username,
  email,
  name: 'Mira',
  force_random_password: true,
});

function oneOf(answers: readonly TestResponse[], others: readonly (readonly [number, object])[]): TestResponse {
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 1, answers.map(({ status, text }) => `${status} ${text.slice(0, 80)}`).join('\n'));
  for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
    const told = JSON.stringify([status, body]);
    assert.ok(
      others.some((other) => JSON.stringify(other) === told),
      told,
    );
  }
  return made[0] as TestResponse;
}

const NAME_TAKEN = [409, { message: 'Username has already been taken' }] as const;
const EMAIL_TAKEN = [409, { message: 'Email has already been taken' }] as const;

test('creates one of five concurrent users with the same username in any case', async () => {
  for (let round = 0; round < 3; round++) {
    const username = name('Twin');
    const spelled = [username, username.toUpperCase(), username.toLowerCase(), username, username];
    const answers = await Promise.all(
      spelled.map((one, index) => root.post('/users', order(one, `${username}-${index}@mail.test`))),
    );
    const { body } = oneOf(answers, [NAME_TAKEN]);
    assert.equal((await root.get('/users', { username })).body.length, 1);
    assert.equal((await root.get(`/namespaces/${body.namespace_id}`)).body.path, body.username);
  }
});

test('creates one of five concurrent users with the same address in any case', async () => {
  for (let round = 0; round < 3; round++) {
    const email = `${name('twin')}@mail.test`;
    const spelled = [email, email.toUpperCase(), email, email, email];
    const answers = await Promise.all(spelled.map((one) => root.post('/users', order(name('twin'), one))));
    oneOf(answers, [EMAIL_TAKEN]);
  }
});

test('creates one user for a request that is sent twice', async () => {
  const same = order(name('twin'));
  oneOf(await Promise.all([root.post('/users', same), root.post('/users', same)]), [NAME_TAKEN, EMAIL_TAKEN]);
});

test('creates either the user or the group for concurrent requests with one path', async () => {
  for (let round = 0; round < 3; round++) {
    const path = name('shared');
    const [made, group] = await Promise.all([
      root.post('/users', order(path)),
      root.post('/groups', { name: path, path }),
    ]);
    assert.deepEqual([made.status, group.status].sort(), [201, 400], `${made.text}\n${group.text}`);
    if (made.status === 400) {
      const base = ['A user, alias, or group already exists with that username.'];
      assert.deepEqual(made.body, { message: { base } });
    }
  }
});

test('renames one of two users who get the same username concurrently', async () => {
  const [one, two] = [await root.post('/users', order(name('twin'))), await root.post('/users', order(name('twin')))];
  const username = name('wanted');
  const answers = await Promise.all([one, two].map(({ body }) => root.put(`/users/${body.id}`, { username })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const refused = answers.find(({ status }) => status === 409);
  assert.deepEqual(refused?.body, NAME_TAKEN[1]);
});
