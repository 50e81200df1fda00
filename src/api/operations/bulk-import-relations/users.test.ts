import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, world } from '#test/support/world.ts';
import { profileOf, userHere } from './users.ts';

const here = await world();
const { root, user } = here;

/** Who is here what a source tells of. */
const meant = (answer: unknown, username = 'nobody-of-that-name') =>
  userHere(here.server.services.database.reader, profileOf(answer, { username }));

test('a user of the source is who has his address, in any case, and else who has his name', async () => {
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

test('an address counts when it is confirmed', async () => {
  const ada = await user();
  const address = `${here.name('other')}@hearth.test`;
  await done(root.post(`/users/${ada.id}/emails`, { email: address }));
  assert.equal(await meant({ email: address }), null);
  const sure = `${here.name('other')}@hearth.test`;
  await done(root.post(`/users/${ada.id}/emails`, { email: sure, skip_confirmation: true }));
  assert.equal(await meant({ email: sure }), ada.id);
});

test('nobody is a bot or blocked; who is deactivated is', async () => {
  const ada = await user();
  const email = `${ada.username}@hearth.test`;
  await done(root.post(`/users/${ada.id}/deactivate`));
  assert.equal(await meant({ email }), ada.id);
  await done(root.post(`/users/${ada.id}/activate`));
  await done(root.post(`/users/${ada.id}/block`));
  assert.deepEqual([await meant({ email }), await meant({}, ada.username)], [null, null]);
  assert.deepEqual([await meant({}, 'alert-bot'), await meant({}, 'ghost')], [null, null]);
  assert.equal(await meant({ username: 'root', bot: true }), null);
});

test('of an answer that is none the name counts that the element has told', async () => {
  const ada = await user();
  const long = { username: 'root', email: 'x'.repeat(5000) };
  for (const answer of [null, 'ada', [], { bot: 7 }, { username: { a: 1 } }, long, {}]) {
    assert.equal(await meant(answer, ada.username), ada.id, JSON.stringify(answer).slice(0, 40));
  }
});
