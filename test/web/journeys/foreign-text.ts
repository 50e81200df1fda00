import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertHarmless, withHarmlessPage } from '../harmless.ts';
import { check, withPage } from '../harness.ts';
import { createHostileProject, type HostileProject } from '../hostile-project.ts';
import { HOSTILE_MARKDOWN } from '../hostile-texts.ts';
import type { Setup } from '../setup.ts';
import { checkLog } from './job-log.ts';
import { checkNames } from './names.ts';
import { checkPolicy } from './page-policy.ts';

/** Checks that nothing that users write runs, loads from another server, or changes more of a page than its own place. */
export async function checkForeignText(setup: Setup): Promise<void> {
  const project = await createHostileProject(setup);
  const storageState = setup.session;
  const texts = HOSTILE_MARKDOWN.map((text, index) => ({
    text,
    path: `/${project.path}/-/blob/main/texts/${index}.md`,
  }));
  // Without the policy of the page: the sanitiser and the templates alone suffice. `checkPolicy` checks the policy.
  await check(setup, 'hostile Markdown does nothing', () =>
    withHarmlessPage(setup, { bypassCSP: true }, async (page) => {
      for (const { text, path } of texts) {
        await page.goto(path);
        await page.locator('.markdown').waitFor({ state: 'attached' });
        await assertHarmless(page, text);
      }
    }),
  );
  await check(setup, 'hostile names do nothing', () =>
    withHarmlessPage(setup, { bypassCSP: true, storageState }, async (page) => {
      for (const path of project.pages) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await assertHarmless(page, path);
      }
    }),
  );
  await checkLog(setup, { bypassCSP: true, storageState }, project);
  await checkFormatting(setup, `/${project.path}`);
  await checkWorker(setup, project);
  await checkPolicy(setup, `/${project.path}`);
  await checkNames(setup);
}

async function checkFormatting(setup: Setup, project: string): Promise<void> {
  await check(setup, 'Markdown keeps its structure, links and images of the project', () =>
    withPage(setup, {}, async (page) => {
      await page.goto(`${project}/-/blob/main/format.md`);
      const content = page.locator('.markdown');
      await content.getByRole('heading', { level: 2, name: 'Title' }).waitFor();
      await content.getByRole('heading', { level: 3, name: 'Skips a level' }).waitFor();
      const addresses = await content
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      assert.deepEqual(addresses, [
        `${setup.base}${project}/-/issues/1`,
        `${setup.base}/root`,
        '#user-content-title',
        `${setup.base}${project}/-/blob/main/texts/0.md`,
        'https://elsewhere.test/a.png',
      ]);
      assert.equal(
        await content.getByRole('link', { name: 'foreign' }).getAttribute('rel'),
        'nofollow noopener noreferrer',
      );
      assert.equal(
        await content.getByRole('img', { name: 'pixel' }).getAttribute('src'),
        `${setup.base}${project}/-/raw/main/image.svg`,
      );
      assert.equal(await content.getByRole('checkbox', { checked: true }).count(), 1);
      assert.equal(await content.locator('.hljs-keyword').textContent(), 'const');
      assert.equal(await content.getByRole('cell', { name: '2' }).getAttribute('align'), 'right');
      await content.getByRole('link', { name: 'top' }).click();
      assert.match(page.url(), /#user-content-title$/);
      // A link within the page neither reads it again nor moves the focus to its heading.
      assert.notEqual(await page.evaluate('document.activeElement.tagName'), 'H1');
    }),
  );
  await check(setup, 'an image of the repository runs no script, also at its own address', () =>
    withHarmlessPage(setup, {}, async (page) => {
      await page.goto(`${project}/-/blob/main/image.svg`);
      await page.locator('img.file-image').waitFor();
      await page.goto(`${project}/-/raw/main/image.svg`);
      assert.equal(await page.evaluate('"hasRun" in globalThis'), false);
    }),
  );
}

/** The worker is not trusted: what it returns is checked, and the page does not wait for it. */
async function checkWorker(setup: Setup, project: HostileProject): Promise<void> {
  const useWorker = (page: Page, body: string) =>
    page.context().route('**/-/web/markup-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
  const hostile = `onmessage = () => {
    postMessage({ kind: 'started' });
    postMessage({ kind: 'html', html: '<img src=x onerror=alert(1)><b id=main>from the worker</b>' });
  };`;
  await check(setup, 'the result of the worker is sanitised, and code with other elements than spans stays plain', () =>
    withPage(
      setup,
      {},
      async (page) => {
        await page.addInitScript('globalThis.alert = () => { globalThis.hasRun = true; }');
        await useWorker(page, hostile);
        await page.goto(`/${project.path}/-/blob/main/format.md`);
        await page.locator('.markdown b').waitFor();
        await assertHarmless(page, hostile);
        const failure = page.waitForEvent('pageerror');
        await page.goto(`/${project.path}/-/blob/main/page.html`);
        assert.match((await failure).message, /other elements than spans/);
        await page.getByText('<script>alert(1)</script>').waitFor();
        await assertHarmless(page, hostile);
      },
      /Content Security Policy|status of 404|other elements than spans/,
    ),
  );
  await check(setup, 'a worker that does not answer is ended, and the text stays plain', () =>
    withPage(setup, {}, async (page) => {
      await useWorker(page, `onmessage = () => { postMessage({ kind: 'started' }); for (;;); };`);
      const ended = new Promise<void>((resolve) => page.on('worker', (worker) => worker.on('close', () => resolve())));
      const startedAt = performance.now();
      await page.goto(`/${project.path}/-/blob/main/format.md`);
      await ended;
      assert.ok(performance.now() - startedAt < 20_000, 'the worker ends after a second of work');
      await page.locator('.plain-text').waitFor();
      assert.equal(await page.locator('.markdown').count(), 0);
    }),
  );
  await check(setup, 'texts that are too long or expand too much stay plain, and others are formatted after them', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      for (const address of project.expensiveIssues) {
        await page.goto(address);
        // One worker formats all texts of a page in their order: the description first.
        await page.locator('.markdown strong').waitFor();
        assert.equal(await page.locator('.markdown').count(), 1, address);
        assert.equal(await page.locator('.plain-text').count(), 1, address);
      }
    }),
  );
}
