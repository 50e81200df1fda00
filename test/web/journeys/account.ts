import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { check, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

const PASSWORD = 'violet-anvil-harbour-42';
const NEW_PASSWORD = 'amber-lantern-quarry-19';

/** Creates a user who signs in with `PASSWORD`. */
async function createUser({ post }: Setup, username: string): Promise<string> {
  const person = { username, name: `Person ${username}`, email: `${username}@example.com`, skip_confirmation: true };
  await post('/users', { ...person, password: PASSWORD });
  return username;
}

async function signInAs(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or e-mail address').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your work' }).waitFor();
}

/** Runs a check in a second browser of the same user. */
async function withSecondBrowser({ browser, base }: Setup, run: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ baseURL: base });
  await run(await context.newPage()).finally(() => context.close());
}

const getUserStatus = async ({ base }: Setup, token: string) =>
  (await fetch(`${base}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': token } })).status;

/** Journeys through the own account. */
export async function checkAccount(setup: Setup): Promise<void> {
  await check(setup, 'a token is created, used, rotated, revoked and then refused', () =>
    withPage(setup, {}, async (page) => {
      const username = await createUser(setup, 'token-owner');
      await signInAs(page, username);
      await page.getByRole('link', { name: username, exact: true }).click();
      await page.getByRole('heading', { name: 'Profile' }).waitFor();
      await page.getByRole('link', { name: 'Access tokens' }).click();
      await page.getByText('You have no token yet.').waitFor();
      assert.equal(await page.getByLabel('sudo').count(), 0);
      await page.getByLabel('Name').fill('laptop');
      await page.getByLabel('api', { exact: true }).check();
      await page.getByRole('button', { name: 'Create token' }).click();
      const created = await page.getByLabel('The new token “laptop”').inputValue();
      assert.equal(await getUserStatus(setup, created), 200);
      await page.getByRole('button', { name: 'Rotate laptop' }).click();
      await page.getByRole('button', { name: 'Replace the token' }).click();
      await page.waitForFunction(`document.querySelector('#new-token').value !== '${created}'`);
      const rotated = await page.getByLabel('The new token “laptop”').inputValue();
      assert.deepEqual([await getUserStatus(setup, created), await getUserStatus(setup, rotated)], [401, 200]);
      await page.getByRole('button', { name: 'Revoke laptop' }).click();
      await page.getByRole('button', { name: 'Revoke the token' }).click();
      await page.getByText('You have no token yet.').waitFor();
      assert.equal(await getUserStatus(setup, rotated), 401);
      await page.route('**/personal_access_tokens?*state=inactive*', async (route) => {
        await page.getByText('Loading', { exact: true }).waitFor();
        await route.continue();
      });
      await page.getByRole('link', { name: 'Show revoked and expired tokens' }).click();
      await page.getByText('Revoked', { exact: true }).first().waitFor();
      assert.equal(await page.getByLabel('The new token “laptop”').count(), 1, 'it stays until the page is left');
    }),
  );
  await check(setup, 'the password is changed, and another session ends', () =>
    withPage(
      setup,
      {},
      async (page) => {
        const username = await createUser(setup, 'password-owner');
        await signInAs(page, username);
        await withSecondBrowser(setup, async (other) => {
          await signInAs(other, username);
          await page.goto('/-/user_settings/password');
          const change = async (current: string, again: string) => {
            await page.getByLabel('Current password').fill(current);
            await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
            await page.getByLabel('New password again').fill(again);
            await page.getByRole('button', { name: 'Change password' }).click();
          };
          await change(PASSWORD, 'another');
          await page.getByText('The two new passwords differ.').waitFor();
          await change('wrong', NEW_PASSWORD);
          await page.getByText('current password is invalid').waitFor();
          await change(PASSWORD, NEW_PASSWORD);
          await page.getByText('Your password was changed').first().waitFor();
          await page.getByRole('link', { name: 'Sessions' }).click();
          await page.getByText('This browser').waitFor();
          assert.equal(await page.getByRole('listitem').filter({ hasText: 'last used' }).count(), 1);
          await other.goto('/-/user_settings/profile');
          await other.getByRole('heading', { name: 'Sign in to see this page' }).waitFor();
          await signInAs(other, username, NEW_PASSWORD);
        });
      },
      /status of 400/,
    ),
  );
  await check(setup, 'another session is ended, and asks for sign-in', () =>
    withPage(setup, {}, async (page) => {
      const username = await createUser(setup, 'session-owner');
      await signInAs(page, username);
      await withSecondBrowser(setup, async (other) => {
        await signInAs(other, username);
        await page.goto('/-/user_settings/active_sessions');
        await page.getByRole('button', { name: /^End/ }).click();
        await page.getByRole('button', { name: /^End/ }).waitFor({ state: 'detached' });
        await other.goto('/-/user_settings/profile');
        await other.getByRole('heading', { name: 'Sign in to see this page' }).waitFor();
      });
      await page.reload();
      await page.getByText('This browser').waitFor();
    }),
  );
  await check(setup, 'the profile, an address and the notifications are saved', () =>
    withPage(setup, {}, async (page) => {
      const username = await createUser(setup, 'profile-owner');
      await signInAs(page, username);
      await page.goto('/-/user_settings/profile');
      await page.getByLabel('Name', { exact: true }).fill('Mira Holm');
      await page.getByLabel('About you').fill('Builds stoves');
      const address = `${username}@example.com`;
      await page.getByLabel('Public e-mail address').selectOption(address);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The profile was saved.').waitFor({ state: 'attached' });
      for (const check of [() => Promise.resolve(), () => page.reload()]) {
        await check();
        await page.getByLabel('Name', { exact: true }).waitFor();
        assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Mira Holm');
        assert.equal(await page.getByLabel('About you').inputValue(), 'Builds stoves');
        assert.equal(await page.getByLabel('Public e-mail address').inputValue(), address);
      }
      await page.getByRole('link', { name: 'your page' }).click();
      await page.getByRole('heading', { name: 'Mira Holm' }).waitFor();
      await page.goto('/-/user_settings/emails');
      await page.getByRole('textbox', { name: 'Address' }).fill('mira@stoves.example');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByText('Not confirmed').waitFor();
      await page.getByRole('button', { name: 'Delete mira@stoves.example' }).click();
      await page.getByRole('button', { name: 'Delete the address' }).click();
      await page.getByText('Not confirmed').waitFor({ state: 'detached' });
      await page.goto('/-/user_settings/notifications');
      await page.getByLabel('Mails').selectOption('custom');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByLabel('New note').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('were saved').waitFor({ state: 'attached' });
      await page.reload();
      assert.equal(await page.getByLabel('New note').isChecked(), true);
      assert.equal(await page.getByLabel('New issue').isChecked(), false);
      assert.equal(await page.getByLabel('Mails').inputValue(), 'custom');
      const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
      await page.getByRole('button', { name: 'Save' }).click();
      await saved;
      await page.getByText('were saved').waitFor({ state: 'attached' });
      assert.equal(await page.getByLabel('Mails').inputValue(), 'custom', 'a form that changes nothing stays as it is');
    }),
  );
}
