import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('updates only given attributes; null clears texts', async () => {
  const { root, user } = await world();
  const { id } = await user();
  await root.put(`/users/${id}`, { bio: 'Welds.', organization: 'Forge', note: 'careful' });
  const { status, body } = await root.put(`/users/${id}`, { bio: null, organization: null });
  assert.equal(status, 200);
  assert.equal(body.bio, '');
  assert.equal(body.organization, '');
  assert.equal(body.note, 'careful');
});

test('keeps a new address unconfirmed unless confirmation is skipped', async () => {
  const { root, user, name } = await world();
  const { id, username } = await user();
  const email = `${name('new')}@mail.test`;
  assert.equal((await root.put(`/users/${id}`, { email })).body.email, `${username}@hearth.test`);
  assert.equal((await root.put(`/users/${id}`, { email, skip_reconfirmation: true })).body.email, email);
  const again = { username: name('heir'), name: 'Heir', email: `${username}@hearth.test`, force_random_password: true };
  assert.equal((await root.post('/users', again)).status, 201, 'the old address is free');
});

test("returns 409 for the username or address of another user, but accepts the user's own", async () => {
  const { root, user } = await world();
  const [mira, otto] = [await user(), await user()];
  assert.equal((await root.put(`/users/${mira.id}`, { username: otto.username })).status, 409);
  assert.equal((await root.put(`/users/${mira.id}`, { email: `${otto.username}@hearth.test` })).status, 409);
  const own = { username: mira.username.toUpperCase(), email: `${mira.username}@hearth.test` };
  assert.equal((await root.put(`/users/${mira.id}`, own)).status, 200);
  assert.deepEqual((await root.put('/users/4711', {})).body, { message: '404 User Not Found' });
  assert.equal((await mira.put(`/users/${mira.id}`, {})).status, 403);
});

test('requires renewal of a password that an administrator sets for another user', async () => {
  const { root, user } = await world();
  const mira = await user();
  await root.put(`/users/${mira.id}`, { password: 'quiet river stone' });
  const { status, body } = await mira.get('/user');
  assert.equal(status, 403);
  assert.equal(
    body.message,
    '403 Forbidden - Your password expired. Please access Hearth from a web browser to update your password.',
  );
  assert.equal((await root.put('/users/1', { password: 'another river stone' })).status, 200);
  assert.equal((await root.get('/user')).status, 200);
});

test('moves the personal namespace with a new username and records it', async () => {
  const { root, user, name, server } = await world();
  const { id, username } = await user();
  const next = name('renamed');
  const { body } = await root.put(`/users/${id}`, { username: next, name: 'Renamed', admin: true });
  assert.equal(body.username, next);
  const { reader } = server.services.database;
  const route = await reader
    .selectFrom('routes')
    .select('full_path')
    .where('namespace_id', '=', body.namespace_id)
    .execute();
  assert.deepEqual(route, [{ full_path: next }]);
  const events = await reader
    .selectFrom('audit_events')
    .select(['event_name', 'details'])
    .where('entity_type', '=', 'User')
    .where('entity_id', '=', id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    events.map(({ details }) => JSON.parse(details).custom_message),
    [
      `Changed username from ${username} to ${next}`,
      `Changed name from Name of ${username} to Renamed`,
      'Changed admin status from false to true',
    ],
  );
});

test('sets private_profile to the default of the settings for null', async () => {
  const { root, user } = await world();
  const { id } = await user();
  const change = async (private_profile: boolean | null) =>
    (await root.put(`/users/${id}`, { private_profile })).body.private_profile;
  assert.equal(await change(true), true);
  assert.equal(await change(null), false);
  await root.put('/application/settings', { user_defaults_to_private_profile: true });
  const usual = await change(null);
  await root.put('/application/settings', { user_defaults_to_private_profile: false });
  assert.equal(usual, true);
});

test('rejects unknown themes and colour schemes', async () => {
  const { root, user } = await world();
  const { id } = await user();
  const { status, body } = await root.put(`/users/${id}`, { theme_id: 12, color_scheme_id: 0 });
  const theme_id = ['12 is not a valid theme'];
  const color_scheme_id = ['0 is not a valid color scheme'];
  assert.deepEqual([status, body], [400, { message: { theme_id, color_scheme_id } }]);
  const changed = (await root.put(`/users/${id}`, { theme_id: 11, color_scheme_id: 6 })).body;
  assert.deepEqual([changed.theme_id, changed.color_scheme_id], [11, 6]);
});

test('removes tags from single-line profile texts', async () => {
  const { root, user } = await world();
  const { id } = await user();
  const fields = ['organization', 'location', 'linkedin', 'twitter', 'skype', 'discord', 'github', 'website_url'];
  const tagged = Object.fromEntries(fields.map((field) => [field, `<b onclick="x">${field}</b> & <i>Sons`]));
  const { body } = await root.put(`/users/${id}`, { ...tagged, bio: '<b>bold</b>' });
  for (const field of fields) assert.equal(body[field], `${field} & Sons`);
  assert.equal(body.bio, '<b>bold</b>');
});

test('stores addresses trimmed and in lower case', async () => {
  const { root, user, name } = await world();
  const [{ id }, address] = [await user(), `${name('kept')}@mail.test`];
  const given = ` ${address.toUpperCase()} `;
  const changed = { email: given, public_email: given, commit_email: given, skip_reconfirmation: true };
  const { body } = await root.put(`/users/${id}`, changed);
  assert.deepEqual([body.email, body.public_email, body.commit_email], [address, address, address]);
  assert.deepEqual((await root.get('/users', { public_email: address.toUpperCase() })).body.length, 1);
  assert.deepEqual((await root.put(`/users/${id}`, { email: ' ' })).body, { message: { email: ["can't be blank"] } });
});

test('rejects an avatar upload and accepts its removal', async () => {
  const { root, user, newGroup, newProject } = await world();
  const [person, group, project] = [await user(), await newGroup(), await newProject()];
  const part =
    'Content-Disposition: form-data; name="avatar"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n';
  const text = 'Content-Disposition: form-data; name="description"\r\n\r\nx\r\n';
  const raw = `--b\r\n${part}--b\r\n${text}--b--\r\n`;
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  for (const path of [`/users/${person.id}`, `/groups/${group.id}`, `/projects/${project.id}`]) {
    const rejected = await root.send('PUT', path, { raw, headers });
    assert.deepEqual([rejected.status, rejected.body], [400, { error: 'avatar is not supported' }], path);
    assert.equal((await root.put(path, { avatar: '', description: 'x', bio: 'x' })).status, 200, path);
  }
});
