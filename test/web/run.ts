// `npm run test:web`: the pages of the web application in Chromium, each in both colour schemes and on a small screen, and journeys
// through them. Skipped with the reason where there is no Chromium. The last line is `N passed, N failed, N skipped`.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { PageName } from '#web/addresses.ts';
import { buildWeb } from '../../scripts/web.ts';
import { installFromDebian } from '../clients/debian.ts';
import { PASSWORD, startVictim, TOKEN } from '../crash/process.ts';

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const count = { passed: 0, failed: 0, skipped: 0 };

/** Runs a check and prints its result. */
async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    count.passed++;
    process.stdout.write(`${name}: ok\n`);
  } catch (error) {
    count.failed++;
    process.stdout.write(`${name}: failed\n${error instanceof Error ? error.stack : error}\n`);
  }
}

/** Runs a check in a page of the browser. An error that the browser reports fails it, except expected ones. */
async function withPage(
  browser: Browser,
  base: string,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
  expectedErrors = /^$/,
): Promise<void> {
  const context = await browser.newContext({ baseURL: base, ...options });
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await run(page);
    assert.deepEqual(
      errors.filter((error) => !expectedErrors.test(error)),
      [],
    );
  } finally {
    await context.close();
  }
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/explore');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Username or e-mail address').fill('root');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Explore projects' }).waitFor();
}

/** Asserts that axe (WCAG 2.2 AA and best practices) finds nothing, and that nothing scrolls sideways. */
async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const findings = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
    const { violations } = await (globalThis as any).axe.run();
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  });
  assert.deepEqual(findings, []);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  assert.ok(overflow <= 0, `${overflow} px wider than the screen`);
}

const SCREENS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
  ['small', { colorScheme: 'light', viewport: { width: 390, height: 800 } }],
];

const PATHS: Readonly<Record<PageName, string>> = {
  home: '/',
  explore: '/explore',
  project: '/root/first-stove',
  tree: '/root/first-stove/-/tree/main/docs',
  file: '/root/first-stove/-/blob/main/docs/fire.md',
  commits: '/root/first-stove/-/commits/main',
  branches: '/root/first-stove/-/branches',
  tags: '/root/first-stove/-/tags',
};

async function checkPages(browser: Browser, base: string): Promise<void> {
  for (const [screen, options] of SCREENS) {
    for (const [name, path] of Object.entries(PATHS)) {
      for (const isSignedIn of [false, true]) {
        await check(`${name}, ${screen}, ${isSignedIn ? 'signed in' : 'anonymous'}`, () =>
          withPage(browser, base, options, async (page) => {
            if (isSignedIn) await signIn(page);
            await page.goto(path);
            await page.getByRole('heading', { level: 1 }).waitFor();
            await assertAccessible(page);
          }),
        );
      }
    }
  }
}

async function checkJourneys(browser: Browser, base: string): Promise<void> {
  await check('sign in and out returns to the page', () =>
    withPage(browser, base, {}, async (page) => {
      await signIn(page);
      assert.equal(new URL(page.url()).pathname, '/explore');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.goto('/explore');
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
    }),
  );
  await check('the keyboard opens pages, the palette and the requests', () =>
    withPage(browser, base, {}, async (page) => {
      await signIn(page);
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
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByRole('checkbox').uncheck();
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.keyboard.press('g');
      await page.keyboard.press('e');
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Your work');
    }),
  );
  await check('from the list of projects to a line of a file', () =>
    withPage(browser, base, {}, async (page) => {
      await page.goto('/explore');
      await page.getByRole('link', { name: 'first-stove' }).click();
      await page.getByRole('link', { name: 'docs' }).click();
      await page.getByRole('link', { name: 'fire.md' }).click();
      await page.getByRole('heading', { name: 'fire.md' }).waitFor();
      await page.getByRole('link', { name: 'Line 3', exact: true }).click();
      assert.match(page.url(), /\/root\/first-stove\/-\/blob\/main\/docs\/fire\.md#L3$/);
      await page.getByRole('link', { name: 'Tags' }).click();
      await page.getByRole('link', { name: 'v1.0' }).waitFor();
    }),
  );
  await check('a search keeps the application loaded', () =>
    withPage(browser, base, {}, async (page) => {
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
  await check('content stays when the server does not respond', () =>
    withPage(
      browser,
      base,
      {},
      async (page) => {
        await page.clock.install();
        await signIn(page);
        await page.goto('/');
        await page.getByRole('heading', { name: 'Your work' }).waitFor();
        await page.route('**/api/v4/**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
        await page.clock.fastForward(61_000);
        await page.getByText('The server does not respond.').waitFor();
        await page.getByRole('heading', { name: 'Your work' }).waitFor();
        await page.unroute('**/api/v4/**');
        await page.clock.fastForward(130_000);
        await page.getByText('The server does not respond.').waitFor({ state: 'detached' });
      },
      /status of 502/,
    ),
  );
}

if (!installFromDebian({ name: 'chromium', probe: ['/usr/bin/chromium', '--version'] })) {
  count.skipped++;
  process.stdout.write('web: skipped, the Debian package chromium cannot be installed here\n');
} else {
  await buildWeb();
  const directory = mkdtempSync(join(tmpdir(), 'hearth-web-'));
  const server = await startVictim(directory, undefined);
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
    const response = await fetch(`${server.address}/api/v4${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.ok(response.ok, await response.text());
  };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const name of ['first-stove', 'second-stove'])
      await post('/projects', { name, visibility: 'public', description: `The firmware of the ${name}` });
    const content = `# Fire\n\n${'A long line of text about fires. '.repeat(20)}\n${'More.\n'.repeat(200)}`;
    await post('/projects/root%2Ffirst-stove/repository/files/docs%2Ffire.md', {
      branch: 'main',
      content,
      commit_message: 'Describe fires',
    });
    await post('/projects/root%2Ffirst-stove/repository/tags', { tag_name: 'v1.0', ref: 'main' });
    await checkPages(browser, server.address);
    await checkJourneys(browser, server.address);
  } finally {
    await browser.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
process.exit(count.failed === 0 ? 0 : 1);
