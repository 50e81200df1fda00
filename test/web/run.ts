// `npm run test:web`: the pages of the web application in Chromium, each in both colour schemes and on a small screen, and journeys
// through them. Skipped with the reason where there is no Chromium. The last line is `N passed, N failed, N skipped`.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { listAddresses } from '#test/support/web-pages.ts';
import { buildWeb } from '../../scripts/web.ts';
import { installFromDebian } from '../clients/debian.ts';
import { startVictim, TOKEN } from '../crash/process.ts';
import { check, count, type Setup, signIn, withPage } from './harness.ts';
import { checkShell } from './journeys/shell.ts';
import { createPageValues, type Post } from './page-values.ts';

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

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

const WIDE = { width: 1280, height: 900 };
const SCREENS: readonly (readonly [name: string, options: BrowserContextOptions, isSignedIn: boolean])[] = [
  ['anonymous', { colorScheme: 'light', viewport: WIDE }, false],
  ['light', { colorScheme: 'light', viewport: WIDE }, true],
  ['dark', { colorScheme: 'dark', viewport: WIDE }, true],
  ['small', { colorScheme: 'light', viewport: { width: 390, height: 800 } }, true],
];

async function checkPages(setup: Setup, addresses: ReturnType<typeof listAddresses>): Promise<void> {
  const context = await setup.browser.newContext({ baseURL: setup.base });
  await signIn(await context.newPage());
  const storageState = await context.storageState();
  await context.close();
  for (const [screen, options, isSignedIn] of SCREENS) {
    for (const [name, path] of addresses) {
      await check(`${name}, ${screen}`, () =>
        withPage(
          setup,
          { ...options, ...(isSignedIn ? { storageState } : {}) },
          async (page) => {
            await page.goto(path);
            await page.getByRole('heading', { level: 1 }).waitFor();
            if (isSignedIn) assert.equal(await page.locator('.state').count(), 0, 'the page shows an error');
            await assertAccessible(page);
          },
          isSignedIn ? undefined : /status of 40[134]/,
        ),
      );
    }
  }
}

if (!installFromDebian({ name: 'chromium', probe: ['/usr/bin/chromium', '--version'] })) {
  count.skipped++;
  process.stdout.write('web: skipped, the Debian package chromium cannot be installed here\n');
} else {
  await buildWeb();
  const directory = mkdtempSync(join(tmpdir(), 'hearth-web-'));
  const server = await startVictim(directory, undefined);
  const post: Post = async (path, body) => {
    const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
    const response = await fetch(`${server.address}/api/v4${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    return JSON.parse(text);
  };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const name of ['first-stove', 'second-stove'])
      await post('/projects', { name, visibility: 'public', description: `The firmware of the ${name}` });
    const values = await createPageValues(post, 'root/first-stove');
    const setup: Setup = { browser, base: server.address, post };
    await checkPages(setup, listAddresses(values));
    await checkShell(setup);
  } finally {
    await browser.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
process.exit(count.failed === 0 ? 0 : 1);
