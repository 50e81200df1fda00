import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const account = (username: string) => ({
  username,
  name: 'Mira Okafor',
  email: `${username}@mail.test`,
  password: 'quiet river stone',
});

test('creates a user with the defaults, a namespace and an audit event', async () => {
  const { root, name, server } = await world();
  const username = name('mira');
  const { status, body } = await root.post('/users', { ...account(username), bio: null, skip_confirmation: true });
  assert.equal(status, 201);
  assert.equal(body.projects_limit, 100_000);
  assert.equal(body.bio, '');
  assert.equal(body.created_by.username, 'root');
  assert.equal(typeof body.namespace_id, 'number');
  assert.notEqual(body.confirmed_at, null);
  const event = await server.services.database.reader
    .selectFrom('audit_events')
    .select(['event_name', 'details'])
    .where('entity_id', '=', body.id)
    .where('entity_type', '=', 'User')
    .executeTakeFirstOrThrow();
  assert.equal(event.event_name, 'user_created');
  assert.equal(JSON.parse(event.details).custom_message, `User ${username} created`);
});

test('accepts form bodies like JSON', async () => {
  const { root, name } = await world();
  const username = name('form');
  const raw = `email=${username}%40mail.test&name=Form&username=${username}&force_random_password=1&admin=true`;
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { status, body } = await root.send('POST', '/users', { raw, headers });
  assert.equal(status, 201);
  assert.equal(body.is_admin, true);
});

test('reports missing parameters in order', async () => {
  const { root, user, anonymous } = await world();
  const { status, body } = await root.post('/users', { provider: 'ldap', name: 'x' });
  assert.equal(status, 400);
  assert.equal(
    body.error,
    'email is missing, username is missing, password, reset_password, force_random_password are missing, at least one parameter must be provided, extern_uid, provider provide all or none of parameters',
  );
  assert.equal((await anonymous.post('/users', {})).status, 401);
  const mira = await user();
  assert.equal((await mira.post('/users', {})).status, 400, 'parameters come before the right');
  assert.deepEqual((await mira.post('/users', account('mallory'))).body, { message: '403 Forbidden' });
  assert.deepEqual((await root.get('/users', { username: 'mallory' })).body, []);
});

const refusals: readonly [what: string, changes: object, message: object][] = [
  ['a short password', { password: 'abc' }, { password: ['is too short (minimum is 8 characters)'] }],
  [
    'a password with the name in it',
    { password: 'okafor-2026!' },
    { password: ['must not contain commonly used combinations of words and letters'] },
  ],
  [
    'a well-known password',
    { password: 'Password123' },
    { password: ['must not contain commonly used combinations of words and letters'] },
  ],
  ['a long bio', { bio: 'x'.repeat(256) }, { bio: ['is too long (maximum is 255 characters)'] }],
  [
    'a long organization',
    { organization: 'x'.repeat(501) },
    { 'user_detail.organization': ['is too long (maximum is 500 characters)'] },
  ],
  ['a negative limit', { projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
  ['an e-mail address that is none', { email: 'nobody' }, { email: ['is invalid'] }],
  ['an e-mail address that is blank', { email: ' ' }, { email: ["can't be blank"] }],
  ['an encoded word', { email: '=?utf-8?q?mira?=@mail.test' }, { email: ['is invalid'] }],
  ['an endless e-mail address', { email: `${'x'.repeat(5000)}@mail.test` }, { email: ['is invalid'] }],
  ['a reserved name', { username: 'api' }, { username: ['api is a reserved name'] }],
  [
    'a name with an accent',
    { username: 'mirä' },
    {
      username: [
        "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
        "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.",
      ],
    },
  ],
];

for (const [what, changes, message] of refusals) {
  test(`rejects ${what} and creates no user`, async () => {
    const { root, name, server } = await world();
    const count = async () => (await server.services.database.reader.selectFrom('users').select('id').execute()).length;
    const before = await count();
    const { status, body } = await root.post('/users', { ...account(name('refused')), ...changes });
    assert.equal(status, 400);
    assert.deepEqual(body, { message });
    assert.equal(await count(), before);
  });
}

test('returns 409 for a taken username or address, ignoring case', async () => {
  const { root, name } = await world();
  const username = name('taken');
  await root.post('/users', account(username));
  const twin = await root.post('/users', { ...account(name('other')), email: `${username.toUpperCase()}@MAIL.test` });
  assert.equal(twin.status, 409);
  assert.deepEqual(twin.body, { message: 'Email has already been taken' });
  const double = await root.post('/users', { ...account(username.toUpperCase()), email: 'free@mail.test' });
  assert.equal(double.status, 409);
  assert.deepEqual(double.body, { message: 'Username has already been taken' });
});

test('rejects one of two concurrent creations of one username', async () => {
  const { root, name } = await world();
  for (let round = 0; round < 3; round++) {
    const username = name('race');
    const emails = [`${username}-a@mail.test`, `${username}-b@mail.test`];
    const both = await Promise.all(emails.map((email) => root.post('/users', { ...account(username), email })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  }
});

test('rejects the path of a group as a username', async () => {
  const { root, name, server } = await world();
  const { createNamespace } = await import('#domain/namespaces/namespaces.ts');
  const path = name('group');
  await server.services.database.transaction((tx) =>
    createNamespace(
      tx,
      { kind: 'group', owner_id: null, parent_id: null, path, name: path, visibility: 'private' },
      { full_path: path, full_name: path },
    ),
  );
  const { status, body } = await root.post('/users', account(path.toUpperCase()));
  assert.equal(status, 400);
  assert.deepEqual(body, { message: { base: ['A user, alias, or group already exists with that username.'] } });
  assert.deepEqual((await root.get('/users', { username: path })).body, []);
});

test('uses the settings for null values', async () => {
  const { root, name } = await world();
  const made = async () => {
    const unsaid = {
      private_profile: null,
      projects_limit: null,
      can_create_group: null,
      external: null,
      theme_id: null,
    };
    return (await root.post('/users', { ...account(name('usual')), ...unsaid })).body;
  };
  const usual = await made();
  assert.deepEqual([usual.private_profile, usual.projects_limit, usual.theme_id], [false, 100_000, 1]);
  await root.put('/application/settings', { user_defaults_to_private_profile: true, default_projects_limit: 3 });
  const other = await made();
  await root.put('/application/settings', { user_defaults_to_private_profile: false, default_projects_limit: 100_000 });
  assert.deepEqual([other.private_profile, other.projects_limit], [true, 3]);
});

test('counts an empty password as not sent', async () => {
  const { root, name } = await world();
  const username = name('reset');
  const input = { email: `${username}@mail.test`, name: 'Reset', username, password: '' };
  assert.equal((await root.post('/users', { ...input, force_random_password: true })).status, 201);
  assert.equal((await root.post('/users', { ...input, username: name('none') })).status, 400);
});
