import assert from 'node:assert/strict';
import { check, signIn, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Journeys through what all pages have in common, and through the files of a project. */
export async function checkShell(setup: Setup): Promise<void> {
  await check(setup, 'sign in and out returns to the page', () =>
    withPage(setup, {}, async (page) => {
      await signIn(page);
      assert.equal(new URL(page.url()).pathname, '/explore');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.goto('/explore');
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
    }),
  );
  await check(setup, 'the keyboard opens pages, the palette and the requests', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      await page.goto('/explore');
      await page.getByRole('heading', { name: 'Explore projects' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
      await page.keyboard.press('a');
      await page.getByRole('complementary', { name: 'Requests of this page' }).getByText('GET /api/v4/todos').waitFor();
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('first stove');
      await page.getByRole('option', { name: /first-stove/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByRole('checkbox').uncheck();
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.keyboard.press('g');
      await page.keyboard.press('e');
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Your work');
    }),
  );
  await check(setup, 'from the list of projects to a line of a file', () =>
    withPage(setup, {}, async (page) => {
      await page.goto('/explore');
      await page.getByRole('link', { name: 'first-stove' }).click();
      await page.getByRole('link', { name: 'docs', exact: true }).click();
      await page.getByRole('link', { name: 'fire.md' }).click();
      await page.getByRole('heading', { name: 'fire.md' }).waitFor();
      await page.getByRole('link', { name: 'Source' }).click();
      await page.getByRole('link', { name: 'Line 3', exact: true }).click();
      await page.getByRole('link', { name: 'Line 5', exact: true }).click({ modifiers: ['Shift'] });
      assert.match(page.url(), /\/root\/first-stove\/-\/blob\/main\/docs\/fire\.md\?plain=1#L3-5$/);
      await page.getByRole('link', { name: 'Tags' }).click();
      await page.getByRole('link', { name: 'v1.0' }).waitFor();
    }),
  );
  await check(setup, 'a search keeps the application loaded', () =>
    withPage(setup, {}, async (page) => {
      await page.goto('/explore');
      await page.evaluate('globalThis.isKept = true');
      await page.getByLabel('Search').fill('nothing has this name');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('No projects').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('search'), 'nothing has this name');
      assert.equal(await page.evaluate('globalThis.isKept'), true);
      await page.goBack();
      await page.getByText('first-stove').first().waitFor();
    }),
  );
  await check(setup, 'content stays when the server does not respond', () =>
    withPage(
      setup,
      { storageState: setup.session },
      async (page) => {
        await page.clock.install();
        await page.goto('/');
        await page.getByRole('heading', { name: 'Your work' }).waitFor();
        await page.route('**/api/v4/**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
        await page.clock.fastForward(61_000);
        await page.getByText('The server does not respond.').waitFor();
        await page.getByRole('heading', { name: 'Your work' }).waitFor();
        await page.unroute('**/api/v4/**');
        await page.clock.fastForward(130_000);
        await page.getByText('The server does not respond.').waitFor({ state: 'detached' });
        await page.route('**/api/v4/**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
        await page.getByRole('link', { name: 'Explore', exact: true }).click();
        await page.getByRole('heading', { name: 'The server has a problem' }).waitFor();
        await page.unroute('**/api/v4/**');
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { name: 'Explore projects' }).waitFor();
      },
      /status of 502/,
    ),
  );
  await check(setup, 'a page whose script is missing is loaded once more, and then says so', () =>
    withPage(
      setup,
      {},
      async (page) => {
        const scripts = '**/-/web/later-*.js';
        await page.route(scripts, (route) => route.fulfill({ status: 404, body: '' }));
        await page.goto('/root/first-stove/-/issues');
        await page.getByText('A part of the application cannot be loaded.').waitFor();
        await page.unroute(scripts);
        await page.reload();
        await page.getByRole('heading', { name: 'Issues' }).waitFor();
      },
      /status of 404/,
    ),
  );
}
