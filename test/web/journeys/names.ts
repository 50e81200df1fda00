import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { PASSWORD } from '#test/crash/process.ts';
import { listAddresses } from '#test/support/web-pages.ts';
import { check, SCREENS, signIn, withPage } from '../harness.ts';
import { createNameValues, LONG_MIXED_NAMES, RIGHT_TO_LEFT_NAMES } from '../name-values.ts';
import type { Setup } from '../setup.ts';

/** Checks that pages have room for the longest names, and keep the order of sentences with names from right to left. */
export async function checkNames(setup: Setup): Promise<void> {
  const values = await createNameValues(setup.post, LONG_MIXED_NAMES);
  await check(setup, 'no page scrolls sideways on a small screen because of long names of both directions', () =>
    withPage(setup, SCREENS.small, async (page) => {
      await signIn(page, { username: values.username ?? '', password: PASSWORD });
      const faults: string[] = [];
      for (const [name, path] of listAddresses(values)) {
        await openInApplication(page, path);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overflow > 0) faults.push(`${name} is ${overflow} px too wide`);
        if ((await page.locator('.state').count()) > 0) faults.push(`${name} shows an error`);
      }
      assert.deepEqual(faults, []);
    }),
  );
  await check(setup, 'a name from right to left stays one piece between words and numbers', () =>
    withPage(setup, SCREENS.light, async (page) => {
      const at = '/projects/root%2Ffirst-stove';
      const name = RIGHT_TO_LEFT_NAMES.name();
      await setup.post(`${at}/labels`, { name, color: '#d9534f' });
      const { iid } = await setup.post(`${at}/issues`, { title: name, labels: name });
      await signIn(page);
      await page.goto(`/root/first-stove/-/issues/${iid}`);
      const label = page.locator('.event .label');
      await label.waitFor();
      // The time after it begins with a number, which would move into a name that is not isolated.
      assert.equal(await label.evaluate((element) => element.getClientRects().length), 1);
    }),
  );
}

/** Opens a page as its links do, without loading the application again. Resolves when its heading is shown. */
async function openInApplication(page: Page, path: string): Promise<void> {
  await page.evaluate(`
    document.querySelector('h1')?.setAttribute('data-previous', '');
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
  `);
  await page.locator('h1:not([data-previous])').waitFor();
}
