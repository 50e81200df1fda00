import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { renderPage, type Visitor } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The pages of the own account.

const scene = await world({ project: { with: ['guest'] } });
const { project, guest, root, user } = scene;

const PAGES = ['profile', 'password', 'active_sessions', 'personal_access_tokens', 'emails', 'notifications'];

const render = (visitor: Visitor | null, page: string) => renderPage(scene, visitor, `/-/user_settings/${page}`);
/** Returns the text of the page that a visitor sees. */
const readText = async (visitor: Visitor | null, page: string): Promise<string> =>
  (await render(visitor, page)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

/** Returns a user who is signed in in a browser. */
async function signedInVisitor() {
  const caller = await userWithPassword(scene);
  const { cookie } = await signedInBrowser(scene, caller);
  return { caller, visitor: { ...caller, cookie: cookie() } };
}

test('all pages ask visitors to sign in', async () => {
  for (const page of PAGES) assert.match(await readText(null, page), /Sign in to see this page/, page);
});

test('the profile shows what others see, and the confirmed addresses only', async () => {
  const { caller, visitor } = await signedInVisitor();
  const [confirmed, unconfirmed] = [`${scene.name('own')}@mail.test`, `${scene.name('new')}@mail.test`];
  await expectSuccess(root.post(`/users/${caller.id}/emails`, { email: confirmed, skip_confirmation: true }));
  await expectSuccess(caller.post('/user/emails', { email: unconfirmed }));
  await expectSuccess(root.put(`/users/${caller.id}`, { bio: 'Iron & <b>fire</b>', public_email: confirmed }));
  const html = await render(visitor, 'profile');
  assert.match(html, new RegExp(`href="/${caller.username}">your page</a>`));
  assert.match(html, /Iron &amp; &lt;b>fire/);
  assert.match(html, new RegExp(`<option value="${confirmed}" selected>`));
  assert.doesNotMatch(html, new RegExp(unconfirmed));
  assert.match(await readText(visitor, 'emails'), new RegExp(`Primary.*${confirmed}.*${unconfirmed} Not confirmed`));
});

test('the sessions are those of the user, and the one of the request is marked', async () => {
  const { caller, visitor } = await signedInVisitor();
  await signedInBrowser(scene, caller);
  const text = await readText(visitor, 'active_sessions');
  assert.equal(text.match(/last used/g)?.length, 2);
  assert.equal(text.match(/This browser/g)?.length, 1);
  assert.doesNotMatch(text, /End all other sessions/);
  await signedInBrowser(scene, caller);
  assert.match(await readText(visitor, 'active_sessions'), /End all other sessions/);
  assert.match(await readText(caller, 'active_sessions'), /You are not allowed to see this page/);
});

test('administrators see their own tokens only, and may choose the scope sudo', async () => {
  const [mira, admin] = [await user(), await user()];
  await expectSuccess(root.post(`/users/${mira.id}/personal_access_tokens`, { name: 'of mira', scopes: ['api'] }));
  await expectSuccess(root.post(`/users/${admin.id}/personal_access_tokens`, { name: 'of admin', scopes: ['api'] }));
  await expectSuccess(root.put(`/users/${admin.id}`, { admin: true }));
  const text = await readText(admin, 'personal_access_tokens');
  assert.match(text, /sudo Act as any user.*of admin/);
  assert.doesNotMatch(text, /of mira/);
  const own = await readText(mira, 'personal_access_tokens');
  assert.match(own, /of mira.*Rotate.*Revoke/);
  assert.doesNotMatch(own, /sudo/);
});

test('revoked tokens are shown apart, without actions', async () => {
  const mira = await user();
  const created = root.post(`/users/${mira.id}/personal_access_tokens`, { name: 'lost laptop', scopes: ['api'] });
  const { body } = await expectSuccess(created);
  await expectSuccess(mira.delete(`/personal_access_tokens/${body.id}`));
  assert.doesNotMatch(await readText(mira, 'personal_access_tokens'), /lost laptop/);
  const inactive = await readText(mira, 'personal_access_tokens?state=inactive');
  assert.match(inactive, /lost laptop Revoked/);
  assert.doesNotMatch(inactive, /Rotate/);
});

test('notifications can be chosen for the groups and projects of the user', async () => {
  await expectSuccess(guest.put(`${project.at}/notification_settings`, { level: 'custom', new_note: true }));
  const html = await render(guest, 'notifications');
  assert.match(html, new RegExp(`<summary>[^<]*${project.path}[^<]*<span class="badge">custom`));
  assert.match(html, /<input type="checkbox" name="new_note" checked/);
  assert.match(html, /<input type="checkbox" name="new_issue"\s*\/?>/);
  assert.match(await readText(await user(), 'notifications'), /of which you are a member appear here/);
  assert.match(await readText(guest, 'notifications?search=nothing'), /None of your groups and projects has this name/);
});
