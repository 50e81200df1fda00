import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { user, root, name } = await world();
const own = '/notification_settings';

async function withAddress(caller: Caller, confirmed = true) {
  const email = `${name('address')}@hearth.test`;
  const { body } = await root.post(`/users/${caller.id}/emails`, { email, skip_confirmation: confirmed });
  return body as { id: number; email: string };
}
const addressOf = async (caller: Caller) => (await caller.get(own)).body.notification_email;
const primary = ({ username }: Caller) => `${username}@hearth.test`;

test('accepts a confirmed address in any case', async () => {
  const ada = await user();
  const { email } = await withAddress(ada);
  assert.equal(
    (await ada.put(own, { notification_email: `  ${email.toUpperCase()} ` })).body.notification_email,
    email,
  );
  assert.equal(await addressOf(ada), email);
  assert.equal((await ada.put(own, { notification_email: null })).body.notification_email, email);
  assert.equal((await ada.put(own, { notification_email: '' })).body.notification_email, primary(ada));
  assert.equal((await ada.put(own, { notification_email: primary(ada) })).status, 200);
});

test('rejects all changes with an unconfirmed, foreign or invalid address', async () => {
  const [ada, ben] = [await user(), await user()];
  const unverified = { notification_email: ['must be an email you have verified'] };
  const malformed = { notification_email: ['is invalid', 'must be an email you have verified'] };
  const wrong: [string, object][] = [
    [(await withAddress(ada, false)).email, unverified],
    [primary(ben), unverified],
    ['ada', malformed],
    [`${'a'.repeat(300)}@hearth.test`, unverified],
  ];
  for (const [notification_email, message] of wrong) {
    const answer = await ada.put(own, { level: 'watch', new_note: true, notification_email });
    assert.deepEqual([answer.status, answer.body], [400, { message }]);
  }
  const both = await ada.put(own, { level: '', notification_email: 'ada' });
  assert.deepEqual(both.body, { message: { level: ["can't be blank"], ...malformed } });
  assert.deepEqual((await ada.get(own)).body, { level: 'participating', notification_email: primary(ada) });
});

test('falls back to the primary address when the address in use is deleted', async () => {
  const ada = await user();
  const { id, email } = await withAddress(ada);
  await ada.put(own, { notification_email: email });
  await ada.delete(`/user/emails/${id}`);
  assert.equal(await addressOf(ada), primary(ada));
});

test('follows changes of the primary address', async () => {
  const ada = await user();
  for (const chosen of [false, true]) {
    if (chosen) await ada.put(own, { notification_email: await addressOf(ada) });
    const email = `${name('primary')}@hearth.test`;
    await root.put(`/users/${ada.id}`, { email, skip_reconfirmation: true });
    assert.equal(await addressOf(ada), email);
  }
});

test('ignores an address for a group', async () => {
  const { group, owner } = await world({ group: {} });
  const answer = await owner.put(`${group.at}${own}`, { level: 'watch', notification_email: 'nobody' });
  assert.deepEqual([answer.status, answer.body], [200, { level: 'watch' }]);
});
