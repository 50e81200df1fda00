import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { findLocalUserId, parseSourceProfile } from './users.ts';

const here = await world();
const { root, user } = here;

/** Returns the local user for a profile of the source. */
const meant = (answer: unknown, username = 'nobody-of-that-name') =>
  findLocalUserId(here.server.services.database.reader, parseSourceProfile(answer, { username }));

test('finds a user by email address, ignoring case, then by username', async () => {
  const [ada, grace] = [await user(), await user()];
  const addressed = { username: grace.username, email: `${ada.username}@HEARTH.test` };
  assert.equal(await meant(addressed), ada.id);
  assert.equal(
    await meant({ username: grace.username, email: null, public_email: `${ada.username}@hearth.test` }),
    ada.id,
  );
  assert.equal(await meant({ username: grace.username.toUpperCase(), public_email: '' }), grace.id);
  assert.equal(await meant({ username: 'x-y-z', email: 'x@hearth.test' }), null);
});

test('finds users by confirmed email addresses only', async () => {
  const ada = await user();
  const address = `${here.name('other')}@hearth.test`;
  await expectSuccess(root.post(`/users/${ada.id}/emails`, { email: address }));
  assert.equal(await meant({ email: address }), null);
  const sure = `${here.name('other')}@hearth.test`;
  await expectSuccess(root.post(`/users/${ada.id}/emails`, { email: sure, skip_confirmation: true }));
  assert.equal(await meant({ email: sure }), ada.id);
});

test('finds deactivated users, but no bots or blocked users', async () => {
  const ada = await user();
  const email = `${ada.username}@hearth.test`;
  await expectSuccess(root.post(`/users/${ada.id}/deactivate`));
  assert.equal(await meant({ email }), ada.id);
  await expectSuccess(root.post(`/users/${ada.id}/activate`));
  await expectSuccess(root.post(`/users/${ada.id}/block`));
  assert.deepEqual([await meant({ email }), await meant({}, ada.username)], [null, null]);
  assert.deepEqual([await meant({}, 'alert-bot'), await meant({}, 'ghost')], [null, null]);
  assert.equal(await meant({ username: 'root', bot: true }), null);
});

test('uses the username of the reference if the profile is invalid', async () => {
  const ada = await user();
  const long = { username: 'root', email: 'x'.repeat(5000) };
  for (const answer of [null, 'ada', [], { bot: 7 }, { username: { a: 1 } }, long, {}]) {
    assert.equal(await meant(answer, ada.username), ada.id, JSON.stringify(answer).slice(0, 40));
  }
});
