import assert from 'node:assert/strict';
import { check, signIn, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Journeys through issues and what plans them. */
export async function checkPlanning(setup: Setup): Promise<void> {
  await check(setup, 'an issue gets a milestone and a comment, and is closed', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      await page.goto('/root/first-stove/-/issues');
      await page.getByRole('link', { name: 'New issue' }).click();
      await page.getByLabel('Title').fill('The handle is hot');
      await page.getByLabel('Description').fill('Nobody can open it.');
      await page.getByRole('button', { name: 'Create issue' }).click();
      await page.getByRole('heading', { level: 1, name: 'The handle is hot' }).waitFor();
      await page.getByRole('button', { name: 'Edit details' }).click();
      await page.getByText('Milestone: none').click();
      await page.getByRole('radio', { name: 'Winter' }).check();
      await page.getByText('Labels: none').click();
      await page.getByRole('searchbox', { name: 'Search in labels' }).fill('fau');
      await page.getByRole('checkbox', { name: 'fault' }).check();
      await page.getByRole('button', { name: 'Save details' }).click();
      await page.getByText('set the milestone to Winter').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Edit details');
      await page.getByLabel('Comment', { exact: true }).fill('A cloth helps.\n/weight 5');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByRole('article').getByText('A cloth helps.').waitFor();
      await page.getByText('set the weight to 5').waitFor();
      assert.equal(await page.getByLabel('Comment', { exact: true }).inputValue(), '');
      await page.getByRole('button', { name: 'Close issue' }).click();
      await page.getByRole('button', { name: 'Reopen issue' }).waitFor();
      await page.getByRole('complementary').getByRole('link', { name: 'Winter' }).click();
      await page.getByRole('heading', { level: 2, name: 'Closed issues' }).waitFor();
      await page.getByRole('link', { name: 'The handle is hot' }).waitFor();
      await page.getByRole('link', { name: 'Issues' }).click();
      await page.getByText('Milestone: all').click();
      await page.getByRole('radio', { name: 'Winter' }).check();
      await page.getByLabel('State').selectOption('closed');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('link', { name: 'The handle is hot' }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('milestone'), 'Winter');
    }),
  );
  await check(setup, 'an issue is added to the to-do list, and marked as done', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      const { iid } = await setup.post('/projects/root%2Ffirst-stove/issues', { title: 'Buy a poker' });
      await page.goto(`/root/first-stove/-/issues/${iid}`);
      await page.getByRole('button', { name: 'Add to my to-do list' }).click();
      await page.getByText('The issue is in your to-do list.').waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('t');
      await page.getByRole('heading', { level: 1, name: 'To-do list' }).waitFor();
      await page.getByRole('button', { name: 'Mark as done Buy a poker' }).click();
      await page.getByRole('link', { name: 'Buy a poker' }).waitFor({ state: 'detached' });
    }),
  );
  await check(setup, 'an unsaved comment survives the end of the session', () =>
    withPage(
      setup,
      {},
      async (page) => {
        const { iid } = await setup.post('/projects/root%2Ffirst-stove/issues', { title: 'The session ends' });
        await signIn(page);
        await page.goto(`/root/first-stove/-/issues/${iid}`);
        await page.getByLabel('Comment', { exact: true }).fill('Nothing is lost.');
        const other = await page.context().newPage();
        await other.goto('/explore');
        await other.getByRole('button', { name: 'Sign out' }).click();
        await other.waitForURL(/./);
        await page.getByRole('button', { name: 'Comment', exact: true }).click();
        // The page may say so too, when it is read again.
        await page.getByRole('alert').filter({ hasText: 'and try again' }).waitFor();
        assert.equal(await page.getByLabel('Comment', { exact: true }).inputValue(), 'Nothing is lost.');
        await signIn(other);
        await page.getByRole('button', { name: 'Comment', exact: true }).click();
        await page.getByRole('article').getByText('Nothing is lost.').waitFor();
      },
      /status of 40[14]/,
    ),
  );
}
